# What counts runs a benchmark of a suite a fixed number of times; what samples runs it for as long as its library likes: in a
# hundred iterations of a microsecond there is not one sample.
empty_repo
cat >bench <<END
#!/bin/sh
echo "\$*" >>"$HOME/starts"
for word; do
	case \$word in
	-test.cpuprofile=*) echo 'main;work (work.go:3) 3' >"\${word#*=}" ;;
	esac
done
echo 'pkg: toy'
echo 'BenchmarkWork-2 100 200.0 ns/op'
END
chmod +x bench
cat >perfevo.yml <<'END'
build: "true"
suites:
  go: {command: ./bench -test.benchtime=0.2s, format: go, repeats: 3, allocations: true}
profile: {language: go, runs: 2}
END
save first
perfevo track -q >/dev/null 2>err
grep -- '-test.benchtime=100x.*-test.bench=^(BenchmarkWork)\$' "$HOME/starts" >counts || fail "nothing is counted: $(cat "$HOME/starts")"
has_not 'what is counted' counts cpuprofile
: >"$HOME/starts"
perfevo profile -b go/toy.BenchmarkWork >out 2>err || fail "$(cat err)"
has 'a method' out work
grep -- -test.cpuprofile= "$HOME/starts" >samples || fail "nothing is sampled: $(cat "$HOME/starts")"
same 'as often as the config says' 2 "$(wc -l <samples)"
has 'the benchmark alone' samples '-test.benchtime=0.2s -test.bench=^(BenchmarkWork)$ '
has_not 'its number of iterations' samples 100x
