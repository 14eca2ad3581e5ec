# Names, subjects, authors, branches, tags, files, benchmarks, metrics, logs, profiles and a folder that hold what moves a
# terminal's cursor, sets its title, reorders text or speaks in perfevo's name: no command prints any such byte.
printf 'a\n' | LC_ALL=C grep -qP 'a' 2>/dev/null || exit 77

esc=$(printf '\033]0;PWN\007\033[31m\r\b\177')
wide=$(printf '\302\205\302\233\342\200\256\342\201\246\342\200\216\342\200\250\342\200\251\330\234')
forged='
perfevo: FORGED'
poison="x$esc$wide"
forbidden='[\x00-\x08\x0b-\x0c\x0e-\x1f\x7f]|\r(?!$)|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c'

folder="repo$esc$wide$forged"
git init -q "$folder"
cd "$folder"
git config user.name "Eve $poison"
# As YAML writes it.
cat >perfevo.yml <<'END'
build: sh build.sh
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  "b\u202e\u2066\u009b":
    command: sh prog.sh
    warmup: 0
    repeats: 3
    allocations: false
    metrics:
      score: {unit: "p\u202e\u0085", better: lower, regex: 'score ([0-9]+)'}
END
echo 'exit 0' >build.sh
for figure in 100 100 100 200; do
	echo "echo score $figure" >prog.sh
	printf 'def f():\n    return %s\n' $figure >"file$poison$forged.py"
	save "score $figure $poison"
done
git tag "tag$wide"
git branch "branch$wide"
cat >build.sh <<END
printf '%s\nperfevo: FORGED\n' 'log $poison'
exit 3
END
save "break $poison"
cat >build.sh <<'END'
exit 0
END
cat >prog.sh <<END
printf '%s\n' 'run $poison' >&2
exit 4
END
save "crash $poison"
echo "echo score 200" >prog.sh
save "mend $poison"
mkdir ../old ../new
printf 'main;f%s;g 10\n' "$wide" >../old/a.folded
printf 'main;f%s;g 90\n' "$wide" >../new/a.folded

# clean WHAT COMMAND...: whatever it answers, no forbidden byte and no forged line in both streams
clean()
{
	what=$1
	shift
	timeout 600 "$@" >../out 2>../err || [ $? -ne 124 ] || fail "$what: no end"
	for stream in out err; do
		if LC_ALL=C grep -naP "$forbidden" ../$stream >../found; then
			fail "$what, $stream: $(head -n 3 ../found | cut -c 1-300 | cat -v)"
		fi
		if grep -n '^perfevo: FORGED' ../$stream >../found; then
			fail "$what, $stream: $(head -n 3 ../found)"
		fi
	done
}

clean track perfevo track --no-confirm --no-open
for format in json csv md; do
	clean "track, $format" perfevo track --no-confirm --no-open --format $format
done
for command in status log 'log --no-graph' 'log --all' show 'show HEAD~1' 'show HEAD~2' changes export 'export --samples' check \
	'compare HEAD~4 HEAD~3' 'gc' 'hooks install' 'hooks' 'accept --list' 'profile HEAD' 'profile HEAD~1' 'profile HEAD~2' \
	'report --no-profile' 'nightly --crontab' 'bisect HEAD~4 HEAD' 'ci --base HEAD~1 --budget 1s' 'init'; do
	clean "$command" perfevo $command
done
for command in status log show changes export check 'compare HEAD~4 HEAD~3' 'log --all'; do
	clean "$command, json" perfevo $command --format json
done
clean 'log, csv' perfevo log --format csv
clean 'compare, md' perfevo compare HEAD~4 HEAD~3 --format md
clean 'accept' perfevo accept "no$poison" --rev HEAD~3 --why "why $poison$forged"
clean 'accept --list' perfevo accept --list
clean 'import' perfevo import ../new/a.folded
clean 'files' perfevo compare --files ../old/a.folded ../new/a.folded
clean 'files, json' perfevo compare --files ../old/a.folded ../new/a.folded --format json
clean 'localize' perfevo localize --old ../old --new ../new --min-diff 1ms
clean 'a word of the user' perfevo log "no$poison$forged"
clean 'an option of the user' perfevo log --bench "($poison$forged"
clean 'a command of the user' perfevo "no$poison$forged"
clean 'a file of the user' perfevo compare --files "no$poison$forged" x

# What is foreign on both ends: a hook that tells of a commit, and its subject.
git -c core.hooksPath=/dev/null commit -q --allow-empty -m "hook $poison"
clean 'post-commit' perfevo hook post-commit
