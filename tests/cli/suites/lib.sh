# A history of a suite whose figures are known beforehand.

# suite_repo: a repository whose program is built by copying; each start that measures leaves its filter in $starts
suite_repo()
{
	empty_repo
	starts=$HOME/starts
	: >"$starts"
	sed "s|STARTS|'$starts'|g" "$CASE_DIR/bench.sh.in" >bench.sh.in
	cat >perfevo.yml <<'END'
build: cp bench.sh.in bench && chmod +x bench
suites:
  micro: {command: ./bench, repeats: 3}
END
}

# figures 'NAME NS' ...: a commit with these, and a program of its own
figures()
{
	printf '%s\n' "$@" >figures
	echo "# $clock" >>bench.sh.in
	save "figures: $*"
}

# compiled_repo: the same with a program of C
compiled_repo()
{
	suite_repo
	cp "$CASE_DIR/bench.c" .
	sed -i "s|^build:.*|build: cc -g -O1 -DSTARTS='\"$starts\"' -o bench bench.c|" perfevo.yml
}
