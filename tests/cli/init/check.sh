# --check builds with what was written and runs it; what could not be guessed is refused with its line, by every command that measures.
empty_repo
printf 'clean:\n\trm -f *.pyc\n' >Makefile
mkdir src
echo '{"scripts": {"bench": "sh src/bench.sh"}}' >package.json
save start
perfevo init >../out
has 'a script that is no call of node' perfevo.yml 'npm run --silent bench'
rm package.json perfevo.yml
printf 'bench_sum: bench_sum.o\n\t$(CC) -o $@ bench_sum.o\n' >Makefile
echo 'int main(void) { return 0; }' >bench_sum.c
save 'make'
ends 0 perfevo init --check
has 'what was written' ../out 'for a project built with Make'
has 'what was tried' ../out '  bench_sum '
sed -i 's/bench_sum/prog/g' Makefile
mv bench_sum.c prog.c
save 'no benchmark'
sentence="still to do: benchmark 'prog': replace '...' with the arguments of './prog'"
ends 128 perfevo init --check --force
has 'what is to do' ../err "perfevo.yml:15:14: $sentence"
has_not 'the same once more' ../out "benchmark 'prog'"
for command in check 'track --last 1' 'bisect HEAD~1 HEAD'; do
	perfevo $command >../out 2>../err && fail "$command measures '...'"
	has "$command" ../err "$sentence"
done
perfevo init --check --print && fail '--check --print'
perfevo completion --benchmarks >../out
has 'others read the config' ../out prog
