# A main branch and a topic branch, whose benchmark prints a figure of its own.

# figures FIGURE: what the benchmark prints from now on
figures()
{
	echo "echo score $1" >prog.sh
}

# topic_repo: main at 100 points, with a commit that topic does not have; topic is checked out where it left
topic_repo()
{
	empty_repo
	score_config 'sh build.sh'
	echo 'exit 0' >build.sh
	figures 100
	save start
	git switch -q -c topic
	git switch -q main
	figures 50
	save 'main goes on'
	git switch -q topic
}

# Figures of fresh runs say how many there were; the machine is left out.
ci()
{
	perfevo ci --base main --no-profile "$@" || echo "status $?"
}
