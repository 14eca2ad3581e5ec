# A hidden config counts too; a named one is written where it is named.
empty_repo
save start
: >.perfevo.yml
perfevo init || echo "status $?"
perfevo init -q --config elsewhere.yml
test -s elsewhere.yml && test ! -e perfevo.yml
