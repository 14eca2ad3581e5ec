# Python, Node and Go bring profilers: a word in the config has the benchmark run with them, also below a wrapper. Methods
# carry paths of the tree, so that those of two commits are the same ones.
needs sqlite3 python3
empty_repo
cat >work.py <<'END'
class Worker:
    def work(self, n):
        return sum(i * i for i in range(n))

def idle(worker):
    return worker.work(200)
END
cat >bench.py <<'END'
from work import Worker, idle

print(Worker().work(300000) + idle(Worker()))
END
printf '#!/bin/sh\nexec python3 bench.py\n' >wrapper.sh
cat >perfevo.yml <<'END'
build: 'true'
run: {instructions: off}
defaults: {warmup: 0, repeats: 2, allocations: false}
benchmarks:
  python: {command: sh wrapper.sh, profile: {language: python, runs: 3}}
  absolute:
    command: 'true'
    profile: {command: 'printf "main;f ($PWD/f.py:3) 3\n" >{profile}', format: folded}
  other: {command: 'true', profile: python}
  silent: {command: 'true', profile: {command: 'echo no such profiler >&2'}}
END
save first
tell()
{
	perfevo profile -b "$1" --format json >"$case_dir/json" 2>"$case_dir/err" || return 0
	sqlite3 :memory: "SELECT DISTINCT value ->> 'name', value ->> 'component'
		FROM json_each(readfile('$case_dir/json'), '\$.methods') WHERE value ->> 'name' IN ($2)"
}

same "a method of Python" 'Worker.work|work.py' "$(tell python "'Worker.work'")"
same "nothing of the profiler" '' "$(tell python "'sample', 'begin'")"
same "a path of the tree" 'f|f.py' "$(tell absolute "'f'")"
same "what is no Python" '' "$(tell other "'Worker.work'")"
has "what is no Python" "$case_dir/err" "no process of python left a profile: is the benchmark run by it?"
tell silent "''"
has "what the profiler said" "$case_dir/err" "no such profiler"
if command -v node >/dev/null; then
	printf 'exports.spin = function spin(n) {\n\tlet sum = 0;\n\tfor (let i = 0; i < n; i++) sum += i %% 7;\n\treturn sum;\n};\n' >spin.js
	echo 'console.log(require("./spin.js").spin(1e8));' >bench.js
	# What V8 compiles into its caller is found by its lines: the first call is long enough to be seen alone.
	cat >inlined.js <<'END'
function inner(n) {
	let sum = 0;
	for (let i = 0; i < n; i++) sum += i % 7;
	return sum;
}
function outer() {
	let sum = inner(2e7);
	for (let i = 0; i < 5000; i++) sum += inner(20000);
	return sum;
}
console.log(outer());
END
	printf '  inlined: {command: node inlined.js, profile: {language: node, runs: 1}}\n' >>perfevo.yml
	printf '  node: {command: sh -c "exec node bench.js", profile: {language: node, runs: 1}}\n' >>perfevo.yml
	save third
	# What Node writes of itself is a folder and a name in it.
	printf '  own: {command: "true", profile: {command: "node --cpu-prof --cpu-prof-name={profile} bench.js"}}\n' >>perfevo.yml
	tell own "''"
	has "what to write instead" "$case_dir/err" "it left no profile: let it write to {profile}, which is also in PERFEVO_PROFILE"
	has "what Node said" "$case_dir/err" "ENOENT"
	same "a function of Node" 'spin|spin.js' "$(tell node "'spin', 'exports.spin'" | sed 's/^exports[.]//')"
	tell inlined "'inner', 'outer'" >/dev/null
	same "the function that costs most" 'inner|inlined.js' "$(sqlite3 :memory: "WITH all_of AS (SELECT readfile('$case_dir/json') AS text),
		worst AS (SELECT value ->> 'method' AS method FROM all_of, json_each(text, '\$.nodes')
			ORDER BY value ->> 'samples' DESC LIMIT 1)
		SELECT value ->> 'name', value ->> 'component' FROM all_of, json_each(text, '\$.methods'), worst WHERE key = method")"
fi
