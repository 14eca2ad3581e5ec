git init -q --bare repo.git
perfevo init -C repo.git
