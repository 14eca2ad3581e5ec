#!/bin/sh
# How far the methods that perfevo reads agree with the function list of Universal Ctags, both ways, for a
# checkout. A method agrees where both have one of that name at that place: the line ctags gives lies within the
# lines perfevo gives. Disagreements are sorted into kinds by the source line they stand on; those marked (*) are
# differences of definition, explained below, and the last figure leaves them out.
#
#   bench/methods_ctags.sh BUILD_DIR REPO [LANGUAGE...]     disagreements follow the table, one a line
#
# What is not a method here, though ctags lists it:
#   declaration   it has no body: abstract and interface methods, overload signatures, functions of other files
#   deleted       C++'s `= delete`
#   keyword       ctags takes a statement for a function
#   macro text    it stands in the replacement text of a macro, or in the tokens of a macro's call
#   dead          it stands in a comment, a string, or behind the end of the program
# What ctags does not list:
#   lambda        a function bound to a name: a variable, a property, a field
#   local         a function inside another, or in a class there
#   generated     a method made by a macro or by define_method
set -eu

build=${1:?"usage: bench/methods_ctags.sh BUILD_DIR REPO [LANGUAGE...]"}
repo=${2:?"usage: bench/methods_ctags.sh BUILD_DIR REPO [LANGUAGE...]"}
shift 2
languages=${*:-C,C++,Python,JavaScript,TypeScript,Java,Go,Rust,Ruby}
languages=$(printf %s "$languages" | tr ' ' ,)
driver=$(cd "$build" && pwd)/bench/pe_bench_methods

command -v ctags >/dev/null || { echo "methods_ctags: ctags is not installed (universal-ctags)" >&2; exit 125; }
[ -x "$driver" ] || { echo "methods_ctags: $driver is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$repo"
git ls-files -c >"$dir/all" 2>/dev/null || find . -type f >"$dir/all"

# ctags: file, name, line, kind, of the kinds that are functions. A header is read as the language that
# perfevo takes it for, so that the two look at one thing.
while IFS= read -r path; do
	[ -f "$path" ] && [ ! -L "$path" ] && printf '%s\n' "$path"
done <"$dir/all" >"$dir/files"
ctags -L "$dir/files" --languages="$languages" --map-C++=-.h --map-C=+.h --map-TypeScript=+.tsx \
	--kinds-C=f --kinds-C++=f -x --_xformat='%F	%N	%n	%K' -f - 2>/dev/null |
	awk -F '\t' '$4 ~ /^(function|method|member|func|getter|setter|generator|singletonMethod)$/ {
		name = $2
		gsub(/[ \t]/, "", name)
		print $1 "\t" name "\t" $3 "\t" $4
	}' >"$dir/theirs"

# Files that ctags was asked to read, so that none counts that it has no parser for.
ctags -L "$dir/files" --languages="$languages" --map-C++=-.h --map-C=+.h --map-TypeScript=+.tsx \
	--print-language 2>/dev/null | sed -n 's/: \([^:]*\)$/\t\1/p' |
	awk -F '\t' -v wanted=",$languages," '$2 != "NONE" && index(wanted, "," $2 ",") { print $1 }' >"$dir/read"
"$driver" list <"$dir/read" | awk -F '\t' '{
	name = $2
	gsub(/[ \t]/, "", name)
	print $1 "\t" name "\t" $3 "\t" $4 "\t" $5 "\t" $6
}' >"$dir/ours"

awk -F '\t' -v ours="$dir/ours" -v theirs="$dir/theirs" '
function source_line(file, line,    text, n)
{
	if (file != cached) {
		for (n in lines)
			delete lines[n]
		n = 0
		while ((getline text < file) > 0)
			lines[++n] = text
		close(file)
		cached = file
		cached_n = n
	}
	return lines[line]
}

# From the head on: does an opening brace come before what ends a declaration?
function has_body(file, line,    i, text)
{
	for (i = line; i < line + 40 && i <= cached_n; i++) {
		text = source_line(file, i)
		if (i == line)
			sub(/^[^(]*/, "", text)
		gsub(/\047[^\047]*\047|"[^"]*"/, "", text)
		if (match(text, /[;{]/))
			return substr(text, RSTART, 1) == "{"
	}
	return 1
}

function kind_of_theirs(file, line, name,    text)
{
	text = source_line(file, line)
	if (name ~ /^(if|for|while|switch|return|sizeof|else|do|catch|case)$/)
		return "keyword*"
	if (text ~ /=[ \t]*delete/)
		return "deleted*"
	if (text ~ /\\$/ || (line > 1 && source_line(file, line - 1) ~ /\\$/))
		return "macro text*"
	if (text ~ /^[ \t]*(\/\/|\/\*|\*|#)/)
		return "dead*"
	if (file !~ /\.(py|rb)$/ && !has_body(file, line))
		return "declaration*"
	return "other"
}

function kind_of_ours(file, first, last, uncertain, full,    text)
{
	text = source_line(file, first) " " source_line(file, first + 1)
	if (text ~ /define_method/ || text ~ /^[A-Z][A-Z0-9_]*[ \t]*\(/)
		return "generated*"
	if (text ~ /=>|->|lambda|function[ \t*]*\(|= *async|\[[^\]]*\][ \t]*\(|:=.*func|= *func|= *move *\||= *\|/)
		return "lambda*"
	if (inner[file, full])
		return "local*"
	return uncertain == "u" ? "uncertain" : "other"
}

BEGIN {
	while ((getline < ours) > 0) {
		n++
		file[n] = $1; name[n] = $2; first[n] = $3; last[n] = $4; unsure[n] = $5; full[n] = $6
		list[$1, $2] = list[$1, $2] " " n
		for (d = depth[$1]; d > 0 && stack[$1, d] < $4; d--)
			;
		depth[$1] = d + 1
		stack[$1, d + 1] = $4
		if (d > 0)
			inner[$1, $6] = 1
	}
	while ((getline < theirs) > 0) {
		m++
		best = 0
		k = split(list[$1, $2], at, " ")
		for (i = 1; i <= k; i++)
			if (!taken[at[i]] && first[at[i]] <= $3 && $3 <= last[at[i]] &&
			    (best == 0 || first[at[i]] > first[best]))
				best = at[i]
		if (best) {
			taken[best] = 1
			both++
		} else if ((($1 SUBSEP $2 SUBSEP $3) in again)) {
			m-- # ctags lists some twice
		} else {
			left_file[m] = $1; left_name[m] = $2; left_line[m] = $3
		}
		again[$1, $2, $3] = 1
	}
	for (i = 1; i <= m; i++)
		if (i in left_file) {
			kind = kind_of_theirs(left_file[i], left_line[i], left_name[i])
			theirs_by[kind]++
			explained_theirs += kind ~ /\*$/
			detail[++details] = "ctags only, " kind ": " left_file[i] ":" left_line[i] ": " left_name[i]
		}
	for (i = 1; i <= n; i++)
		if (!taken[i]) {
			kind = kind_of_ours(file[i], first[i], last[i], unsure[i], full[i])
			ours_by[kind]++
			explained_ours += kind ~ /\*$/
			detail[++details] = "perfevo only, " kind ": " file[i] ":" first[i] ": " full[i]
		}
	printf "perfevo %d, ctags %d, both %d\n", n, m, both
	if (m > 0 && n > 0) {
		printf "of ctags that perfevo has:  %6.2f %%, %6.2f %% but for what is explained (*)\n",
			100 * both / m, 100 * both / (m - explained_theirs)
		printf "of perfevo that ctags has:  %6.2f %%, %6.2f %% but for what is explained (*)\n",
			100 * both / n, 100 * both / (n - explained_ours)
	}
	for (kind in theirs_by)
		printf "  ctags only    %-14s %6d\n", kind, theirs_by[kind]
	for (kind in ours_by)
		printf "  perfevo only  %-14s %6d\n", kind, ours_by[kind]
	for (i = 1; i <= details; i++)
		print detail[i]
}' </dev/null
