# Which remote, and what is said when there is none.
measured_repo
perfevo push || echo "status $?"
git init -q --bare ../one.git
git init -q --bare ../two.git
git remote add one ../one.git
git remote add two ../two.git
perfevo push || echo "status $?"
perfevo push three || echo "status $?"
perfevo push two
echo "# from a folder below, with the environment of a hook"
mkdir below
cd below
GIT_DIR=$(git rev-parse --git-dir) GIT_INDEX_FILE=/nowhere/index perfevo pull two
git push -q -u one main
perfevo push
git ls-remote one 'refs/perfevo/results/*' | wc -l
echo "# a remote that is not there"
git remote set-url one ../gone.git
perfevo push one 2>&1 | grep perfevo: || echo "status $?"
