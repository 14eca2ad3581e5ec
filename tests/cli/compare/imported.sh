# Profiles that a command leaves name files by where its build lies, which is another place for each commit, and count samples
# without times: the methods of two commits are the same ones all the same, and are compared.
empty_repo
cat >perfevo.yml <<'END'
build: 'true'
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  links:
    command: sh run.sh
    warmup: 0
    repeats: 2
    allocations: false
    metrics: {steps: {unit: '1', better: lower, deterministic: true, regex: 'steps ([0-9]+)'}}
    profile: {command: 'sed "s|@|$PWD|" stacks >{profile}', format: folded}
END
# version STEPS BODY
version()
{
	echo "echo steps $1" >run.sh
	printf 'main;parse (@/parse.py:1) %s\nmain;emit (@/emit.py:1) 100\n' "$1" >stacks
	printf 'def parse():\n    return %s\n' "$1" >parse.py
	printf 'def emit():\n    return 0\n' >emit.py
	save "steps $1"
}
version 400
version 800
perfevo compare -q --tree --all HEAD~1 HEAD >../out 2>../err
# What waits on a busy machine may be in one of them alone.
grep -q '─ ~ parse\>' ../out || fail "the modified one is in both: $(cat ../out)"
! grep -q '─ [+−] \(main\|parse\|emit\)' ../out || fail "one of one commit alone: $(cat ../out)"
has_not 'figures in common' ../err 'no figure in common'
has_not 'a figure of nothing' ../out '0  0 %'
has_not 'where a build lies' ../out 'slots/'
perfevo profile -q -b links >../out
has 'a file by its name' ../out 'parse.py'
has_not 'where the build lies' ../out 'slots/'
