# Before a push, between real repositories: what is new there is compared with what it has; git's lines in all their
# forms. Only a confirmed regression stops a push.

measured_project
git init -q --bare ../hub.git
git remote add origin ../hub.git
perfevo hooks install --pre-push >/dev/null

# push ARGUMENTS...: what the hook says, without ids and times, and whether the push went through
push()
{
	echo "push $*" | sed 's/[0-9a-f]\{40\}/ID/'
	if git push -q "$@" 2>../said; then echo '  went through'; else echo '  was stopped'; fi
	grep -v 'builds\{0,1\} done\|^error: \|^$' ../said |
		sed "s/[0-9a-f]\{8,10\}/ID/g; s/   */  /g; s/^/  /" || :
}

push origin main
git commit -q --allow-empty -m 'no change'
push origin main
push origin main
figure 200
git commit -q -a -m slower
push origin main
# The same again is answered from what was measured.
runs=$(sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM runs')
push origin main
same 'no run was made again' "$runs" "$(sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM runs')"

echo '--- ways past it'
cp perfevo.yml ../saved.yml
echo 'hooks: {pre-push: {block: false}}' >>perfevo.yml
push origin main:refs/heads/not-blocked
cp ../saved.yml perfevo.yml
git push -q --no-verify origin :not-blocked
push --no-verify origin main:refs/heads/anyway
git push -q --no-verify origin :anyway
echo PERFEVO_SKIP=1
PERFEVO_SKIP=1 git push -q origin main:refs/heads/skipped
git push -q --no-verify origin :skipped

echo '--- accepted'
perfevo accept score --rev HEAD --why 'a wanted feature' >/dev/null 2>&1
push origin main
git checkout -q perfevo-accepted.yml 2>/dev/null || rm -f perfevo-accepted.yml

echo '--- new branches, tags, deletions, force, many at once'
figure 90
git commit -q -a -m faster
git checkout -q -b topic
figure 300
git commit -q -a -m 'slow topic'
push origin topic
git tag light
git tag -a -m message heavy
git tag of-a-blob "$(git hash-object -w prog.sh)"
push origin light
push origin heavy of-a-blob
git push -q --no-verify origin topic light heavy of-a-blob
push origin light:refs/tags/other heavy:refs/tags/another
push origin :light :refs/tags/other
git reset -q --hard main
git commit -q --allow-empty -m 'another topic'
push --force origin topic
git branch good main
git checkout -q -b bad main
figure 500
git commit -q -a -m bad
push origin good bad topic
push origin "$(git rev-parse main)":refs/heads/by-id 'main^{commit}:refs/heads/by-name'
push origin main:refs/notes/x

echo '--- an inconclusive one goes through'
git checkout -q -b broken main
echo 'exit 3' >build.sh
git commit -q -a -m 'does not build'
push origin broken
git checkout -q -b long main
echo 'hooks: {pre-push: {budget: 1s}}' >>perfevo.yml
echo 'sleep 600; echo score 1000' >prog.sh
git commit -q -a -m 'takes long'
# What is known by then depends on when it is stopped.
push origin long | sed 2q

echo '--- from a bare repository, with its HEAD as config'
git clone -q --bare . ../bare.git 2>/dev/null
cd ../bare.git
git symbolic-ref HEAD refs/heads/main
git fetch -q ../hub.git 'refs/heads/*:refs/remotes/origin/*'
rm -f hooks/*
perfevo hooks install --pre-push >/dev/null
push ../hub.git bad
