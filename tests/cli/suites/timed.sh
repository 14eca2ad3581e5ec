# A suite under 'benchmarks:' runs for as long as its library likes: track does not call it unchanged without a word.
empty_repo
cat >perfevo.yml <<'END'
build: cp micro.sh micro && chmod +x micro
defaults: {warmup: 0, repeats: 2, allocations: false}
benchmarks:
  all: ./micro
  own figures: {command: ./micro, metrics: {time: {unit: ns, better: lower, regex: 'BM_work ([0-9]+)'}}}
  plain: sh plain.sh
END
echo ':' >plain.sh
for ns in 100 150; do
	printf '#!/bin/sh\n# benchmark_list_tests\necho BM_work %s\n' "$ns" >micro.sh
	save "$ns ns"
done
perfevo track --no-open --no-confirm >../out 2>../err
same 'what is told of it, once' \
	"all (format: google-benchmark): runs many benchmarks, each for as long as its library likes, however fast the program is: its wall time shows no change; name it under 'suites:' in place of 'benchmarks:'" \
	"$(sed -n 's/^perfevo: //; /suites:/p' ../err)"
