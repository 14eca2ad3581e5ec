# Criterion.rs leaves a folder of results: output names it, and every sample of this run is read, none that an earlier
# one left there. The filter is the word behind "cargo bench".
mkdir -p "$HOME/bin" repo
cat >"$HOME/bin/cargo" <<'END'
#!/bin/sh
[ "$1" = bench ] || exit 1
fresh=true
[ ! -d target/criterion ] || fresh=false
while read -r name ns; do
	[ -z "$2" ] || echo "$name" | grep -qE "$2" || continue
	[ "$name" != sort/once ] || $fresh || continue
	dir=target/criterion/$name/new
	mkdir -p "$dir"
	echo "{\"group_id\": \"$name\", \"full_id\": \"$name\", \"value_str\": null}" >"$dir/benchmark.json"
	echo "{\"sampling_mode\": \"Linear\", \"iters\": [1.0, 2.0, 4.0], \"times\": [$ns.0, $((2 * ns + 2)).0, $((4 * ns + 8)).0]}" \
		>"$dir/sample.json"
done <figures
END
chmod +x "$HOME/bin/cargo"
export PATH="$HOME/bin:$PATH"
cd repo
git init -q
echo target >.gitignore
cat >perfevo.yml <<'END'
build: 'true'
suites:
  criterion: {command: cargo bench, output: target/criterion, repeats: 2}
END
printf 'sort/fast 100\nsort/once 50\n' >figures
save 'before'
printf 'sort/fast 300\nsort/once 50\n' >figures
save 'after'

perfevo track --quiet --no-open --no-confirm >out 2>err
perfevo log --format=csv >log.csv
has 'the median of three samples' log.csv 'sort/fast,wall,ns,measured,2,301'
has 'before' log.csv 'sort/fast,wall,ns,measured,2,101'
# The first process of a tree alone writes this one; it stays in the folder, and no later process measured it.
same 'what an earlier process left' 0 "$(grep -c 'sort/once,wall,ns,measured' log.csv)"
same 'samples of a run' '300 301 302' "$(sqlite3 .git/perfevo/perfevo.db "SELECT value FROM inner_measurements
	WHERE benchmark = 'criterion/sort/fast' AND metric = 'wall' AND round = 0 AND value >= 300
	ORDER BY position" | sed 's/\.0$//' | tr '\n' ' ' | sed 's/ $//')"
