empty_repo
save start
perfevo gc
test ! -e .git/perfevo
