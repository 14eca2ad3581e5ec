# What the cases of the hooks share. Nothing here waits for a time: it waits for a state.

git config --global advice.detachedHead false

# measured_project: a repository `repo`, which becomes the current folder; its benchmark prints a figure
# of its own.
measured_project()
{
	empty_repo
	score_config 'sh build.sh' 3
	echo 'exit 0' >build.sh
	figure 100
	git add -A
	for subject in one two three; do
		git commit -q --no-verify --allow-empty -m "$subject"
	done
}

figure()
{
	echo "echo score $1" >prog.sh
}

# commit SUBJECT: as the user does it, with hooks; what they say goes to ../said
commit()
{
	git add -A
	git commit -q --allow-empty -m "$1" 2>../said || fail "git commit failed: $(cat ../said)"
}

hooks_dir()
{
	echo "$(git rev-parse --git-common-dir)/perfevo/hooks"
}

# How each commit that was entered stands: its last event that decides, and its id
states()
{
	awk -F '\t' '$2 ~ /^(commit|skipped|pass|regressed|suspected|improved|failed)$/ { state[$3] = $2 }
		END { for (id in state) print state[id], id }' "$(hooks_dir)/journal" 2>/dev/null
}

is_idle()
{
	! states | grep -q '^commit '
}

# idle: no commit waits for its result
idle()
{
	wait_for 'nothing waits' is_idle
}

# job: the process that measures in the background, or nothing
job()
{
	perfevo status --format json | sed -n 's/.*"running":{"pid":\([0-9]*\).*/\1/p'
}

is_gone()
{
	[ -z "$(job)" ]
}

# gone: the job has ended
gone()
{
	wait_for 'the job has ended' is_gone
}

# running: a run of the background measurement has begun; its program makes ../began
running()
{
	wait_for 'a run has begun' test -e ../began
	rm ../began
}

# result REV: the verdict of a commit, or nothing
result()
{
	states | sed -n "s/^\([^c ][^ ]*\) $(git rev-parse "$1")$/\1/p" | grep -v skipped || :
}

# results REV...: the verdicts of several, on one line
results()
{
	for rev in "$@"; do
		result "$rev"
	done | paste -s -d ' ' -
}
