# The script is driven as bash drives it.
empty_repo
save start
git tag v1.0
git tag v2.0
cat >perfevo.yml <<'END'
build: "true"
benchmarks: {parse: "true", print: "true", sort: "true"}
END
mkdir folder
: >file.yml
perfevo completion bash >script
cat >drive <<'END'
source ./script
complete_line()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_perfevo
	echo "$*| ${COMPREPLY[*]}"
}
complete_line perfevo tr
complete_line perfevo --no
complete_line git perfevo sh
complete_line perfevo track --al
complete_line perfevo track --format ''
complete_line perfevo track --format = j
complete_line perfevo track -b p
complete_line perfevo track --config f
complete_line perfevo -C f
complete_line perfevo track v
complete_line perfevo track v1.0..v
complete_line perfevo show HE
complete_line perfevo log --metric max
complete_line perfevo completion z
complete_line perfevo help ch
complete_line perfevo gc ''
complete_line perfevo track --last ''
END
bash drive
# Names that others chose are words and nothing else: of a branch that was fetched, of a benchmark in a config.
git update-ref 'refs/heads/evil$(touch${IFS}ran)' HEAD
cat >perfevo.yml <<'END'
build: "true"
benchmarks: {'x$(touch ran)': "true", 'y`touch ran`': "true", 'two words': "true"}
END
cat >>drive <<'END'
complete_line perfevo track e
complete_line perfevo track v1.0..e
complete_line perfevo track -b x
complete_line perfevo track -b y
complete_line perfevo track -b two
complete_line perfevo track -b 'two\ '
END
bash drive | tail -n 6
test ! -e ran || echo "a name was run"
# Members of suites are known when they were measured.
cat >perfevo.yml <<'END'
build: "true"
suites: {micro: {command: 'echo "{\"name\": \"parse\", \"parameters\": {\"size\": 8}, \"unit\": \"us\", \"values\": [1, 2, 3]}"'}}
END
save suite
perfevo track -q --last 1 >/dev/null 2>&1
echo 'complete_line perfevo log -b micro/p' >>drive
bash drive | tail -n 1
