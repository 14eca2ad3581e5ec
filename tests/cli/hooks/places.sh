# core.hooksPath in all its places, worktrees, bare repositories.

measured_project
rm -f .git/hooks/*

echo '--- relative to the tree, part of it'
git config core.hooksPath .githooks
perfevo hooks install --pre-commit 2>&1
ls -A .githooks .git/hooks
mkdir sub
(cd sub && perfevo hooks status)
perfevo hooks remove
echo '--- absolute'
git config core.hooksPath "$PWD/../outside"
perfevo hooks install --pre-commit 2>&1
ls ../outside
perfevo hooks remove
echo '--- switched off'
git config core.hooksPath /dev/null
perfevo hooks install 2>&1 && fail 'installed into nothing'
git config --unset core.hooksPath

echo '--- of every repository'
# shellcheck disable=SC2088 # git's tilde
git config --global core.hooksPath '~/shared'
perfevo hooks install 2>&1 && fail 'installed for everybody'
[ ! -e "$HOME/shared" ] || fail 'a shared folder was written'
perfevo hooks install --global --post-commit 2>&1
ls "$HOME/shared"
git init -q ../other
(
	cd ../other
	git commit -q --allow-empty -m 'no config here' 2>&1
	[ ! -e .git/perfevo ] || fail 'a repository without perfevo.yml was touched'
)
perfevo hooks remove 2>&1 && fail 'removed for everybody'
perfevo hooks remove --global
git config --global --unset core.hooksPath

echo '--- worktrees share their hooks'
git worktree add -q ../linked
(cd ../linked && perfevo hooks install)
ls .git/hooks
(
	cd ../linked
	figure 90
	commit 'in a worktree'
	idle
	same 'the result of the commit' improved "$(result HEAD)"
)
perfevo hooks remove --pre-push --pre-commit
echo '--- with a config of their own'
git config extensions.worktreeConfig true
git -C ../linked config --worktree core.hooksPath "$PWD/../own"
(cd ../linked && perfevo hooks status)
perfevo hooks status

echo '--- bare'
git clone -q --bare . ../bare.git
cd ../bare.git
rm -f hooks/*
perfevo hooks install --post-commit 2>&1 && fail 'installed where nobody commits'
perfevo hooks install 2>&1
ls hooks
