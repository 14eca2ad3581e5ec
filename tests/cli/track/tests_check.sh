# Many tests that fail at once, mostly for one reason: check names all, and prints the ends of three logs.

new_repo
cat >fail.sh <<'END'
seq 40
echo "end of $1"
exit 1
END
history 1
cat >perfevo.yml <<'END'
build: sh build.sh
tests:
  list: seq -f t%g 5
  run: sh fail.sh {name}
  sources: [fail.sh]
END
ends 125 perfevo check --quiet
same 'named' 5 "$(grep -c '^  t[1-5] .* wrong exit status$' ../out)"
same 'ends of logs' 3 "$(grep -c '^    end of t' ../out)"
same 'cut logs' 3 "$(grep -c '^    \.\.\.$' ../out)"
grep -qx '    40' ../out || fail "the end of a log is missing: $(cat ../out)"
! grep -qx '    20' ../out || fail "more than the end of a log: $(cat ../out)"
has 'what to do' ../out "5 of 5 fail; 'perfevo check -b NAME' prints the whole log of one"
ends 125 perfevo check --quiet -b t3
grep -qx '    1' ../out || fail "the log of one is not whole: $(cat ../out)"

# A program that lists none is named, with what to do. Where there are other benchmarks, these are measured.
cat >perfevo.yml <<'END'
build: sh build.sh
tests:
  list: echo >&2 none
  run: sh fail.sh {name}
END
for command in check 'track --last 1' profile; do
	# shellcheck disable=SC2086 # a command and its options
	! perfevo $command >../out 2>../err </dev/null || fail "$command passes"
	has "$command" ../err "tests: 'echo >&2 none' lists no test at $(git rev-parse --short=10 HEAD): try it in 'perfevo shell'"
done
echo '  include: ^a' >>perfevo.yml
! perfevo check >../out 2>../err </dev/null || fail 'a list without a wanted one passes'
has 'what is wanted' ../err "that 'include' and 'exclude' let through"
echo 'benchmarks: {prog: {command: ./prog, repeats: 2}}' >>perfevo.yml
ends 0 perfevo check
has 'beside a benchmark' ../err "tests: 'echo >&2 none' lists no test at "
