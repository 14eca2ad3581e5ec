# By its own name and as a command of git.
perfevo --version
git perfevo --version
