# A change that a tracked file names is shown and fails nothing; in a bare repository HEAD's file counts.

noisy_repo 10 6 8 1
track 1 --last 10 --fail-on-regression
git config user.name Ada
git config user.email ada@example.org
perfevo accept score --rev HEAD~4 --why 'checks its input' 2>"$case_dir/err"
! grep -q "no jump is known" "$case_dir/err" || fail "a commit with a jump: $(cat "$case_dir/err")"
same "the file" '- revision: '"$(git rev-parse HEAD~4)"' # c6
  benchmark: "score"
  why: "checks its input"
  by: "Ada <ada@example.org>"' "$(sed -n '/^-/,/by/p' perfevo-accepted.yml | sed 's/Author <author@example.org>/Ada <ada@example.org>/')"
said 0 --last 10 --fail-on-regression
has "what does not count" "$case_dir/err" "1 accepted regression is not counted (perfevo-accepted.yml)"
has "the reason" "$case_dir/out" "checks its input"
perfevo show HEAD~4 >"$case_dir/show"
has "that it is accepted" "$case_dir/show" ' fresh pairs'
has "why" "$case_dir/show" 'because: checks its input'
! perfevo accept --quiet scores --rev HEAD~4 --why slip 2>"$case_dir/err" || fail "accepted for no benchmark"
has "a slip" "$case_dir/err" "has no benchmark 'scores' (did you mean 'score'?)"
same "entries after a slip" 1 "$(grep -c revision perfevo-accepted.yml)"
# Another benchmark, or another metric, is not meant.
sed -i 's/^  why/  metric: wall\n  why/' perfevo-accepted.yml
track 1 --last 10 --fail-on-regression
perfevo accept --quiet --remove score --rev HEAD~4 --metric wall
same "entries" 0 "$(grep -c revision perfevo-accepted.yml || true)"

perfevo accept --quiet score --rev HEAD~4 --why 'checks its input'
mkdir -p "$case_dir/bare"
save "accept it"
git clone -q --bare . "$case_dir/bare/repo.git"
perfevo -C "$case_dir/bare/repo.git" --store "$store" --config "$PWD/perfevo.yml" accept --list >"$case_dir/out"
has "the list of a bare repository" "$case_dir/out" "checks its input"
perfevo accept --list --format json >"$case_dir/out"
same "the list for programs" "score||$(git rev-parse HEAD~5)|checks its input" "$(sqlite3 :memory: "
	SELECT value ->> 'benchmark', value ->> 'metric', value ->> 'revision', value ->> 'why'
	FROM json_each(readfile('$case_dir/out'), '\$.accepted')")"

echo '- benchmark: score' >>perfevo-accepted.yml
track 128 --last 10
has "a bad file" "$case_dir/err" \
	"perfevo-accepted.yml:8:3: an accepted change needs 'revision': write 'revision: ...'"
