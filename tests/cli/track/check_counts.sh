# What check says of counts that differ from run to run: a seed helps Python, and one thread helps Node, whose compiler and
# collector work beside the program.
new_repo
cat >bench.py <<'END'
import os
kept = [bytearray(100000) for _ in range(1000 + os.getpid() % 1009)]
END
cat >bench.js <<'END'
const kept = [];
for (let i = 0; i < 1000 + (process.pid % 1009); i++) kept.push(Buffer.allocUnsafeSlow(20000));
END
save start
# advised COMMAND: what check says of the counts of a benchmark
advised()
{
	cat >perfevo.yml <<END
run: {instructions: off}
benchmarks:
  prog: {command: $1, warmup: 0, repeats: 3}
END
	perfevo check --quiet >"$case_dir/out" 2>"$case_dir/err" || fail "exit status $?: $(cat "$case_dir/out" "$case_dir/err")"
	grep 'two runs of one build count differently' "$case_dir/out" || fail "no advice: $(cat "$case_dir/out")"
}

advised 'python3 bench.py' >"$case_dir/python"
has 'what helps Python' "$case_dir/python" 'PYTHONHASHSEED'
command -v node >/dev/null || exit 0
advised 'node bench.js' >"$case_dir/node"
has 'what helps Node' "$case_dir/node" 'node --single-threaded'
has 'whose they are' "$case_dir/node" 'prog (allocations)'
