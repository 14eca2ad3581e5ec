# What cannot be reported says why, and what to do.
exec 2>&1
empty_repo
save 'nothing yet'
perfevo report || echo "status $?"
perfevo report HEAD HEAD || echo "status $?"
test ! -e .git/perfevo
