git init -q repo
cd repo
save start
perfevo gc
test ! -e .git/perfevo
