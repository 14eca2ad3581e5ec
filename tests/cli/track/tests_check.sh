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
status=0
perfevo check --quiet >out 2>err </dev/null || status=$?
same 'exit status' 125 "$status"
same 'named' 5 "$(grep -c '^  t[1-5] .* wrong exit status$' out)"
same 'ends of logs' 3 "$(grep -c '^    end of t' out)"
same 'cut logs' 3 "$(grep -c '^    \.\.\.$' out)"
grep -qx '    40' out || fail "the end of a log is missing: $(cat out)"
! grep -qx '    20' out || fail "more than the end of a log: $(cat out)"
has 'what to do' out "5 of 5 fail; 'perfevo check -b NAME' prints the whole log of one"
status=0
perfevo check --quiet -b t3 >out 2>err </dev/null || status=$?
same 'exit status of one' 125 "$status"
grep -qx '    1' out || fail "the log of one is not whole: $(cat out)"
