# Where the base is found, and what is said when it is not.
topic_repo
figures 120
save slower
perfevo ci --no-profile 2>&1 || echo "status $?"
perfevo ci --base nowhere --no-profile 2>&1 || echo "status $?"
git clone -q . ../clone
cd ../clone
git switch -q topic
git remote set-head origin main
echo "# origin's default branch"
perfevo ci --no-profile | head -n 2
echo "# a server's variables"
GITHUB_BASE_REF=main perfevo ci --no-profile | head -n 2
CHANGE_TARGET=topic perfevo ci --no-profile 2>&1
CHANGE_TARGET=topic perfevo ci --no-profile --format json 2>/dev/null | grep -oE '"(stops|summary)":[^,]*'
CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD~1) perfevo ci --no-profile | head -n 1
echo "# a shallow clone"
cd ..
git clone -q --depth 1 --no-single-branch "file://$PWD/repo" shallow
cd shallow
git switch -q topic
perfevo ci --base origin/main --no-profile 2>&1 || echo "status $?"
echo "# deep enough"
cd ..
git clone -q --depth 2 --no-single-branch "file://$PWD/repo" deeper
cd deeper
git switch -q topic
perfevo ci --base origin/main --no-profile | head -n 2
perfevo ci --base topic~1 --no-profile | head -n 1
