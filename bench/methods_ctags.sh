#!/bin/sh
# How far the methods that perfevo reads agree with the function list of Universal Ctags, both ways, for a
# checkout. A method agrees where both have one of that name at that place: the line that ctags gives lies within
# the lines that perfevo gives. Every disagreement is sorted into a kind by the source it stands on; those marked
# with a star are differences of definition, or slips of ctags that the source shows, and the right-hand figures
# leave them out.
#
#   bench/methods_ctags.sh BUILD_DIR REPO [LANGUAGE...]     c cpp python javascript ...; all by default
#
# Listed by ctags alone:
#   declaration*  it has no body: abstract and interface methods, overload signatures, prototypes
#   deleted*      C++'s `= delete`
#   keyword*      a statement taken for a function
#   attribute*    an attribute macro behind the parameters, taken for the name of the function
#   receiver*     the object of `def object.name` or `object.name = function`, taken for the name
#   constant*     an enumerator with a body, or a record, taken for a method
#   bound*        a named function expression, which perfevo has under the name that it is bound to
#   computed*     the object of `object[name] = function`, taken for the name
#   call*         a call of a method of that name, taken for one
#   macro text*   it stands in the replacement text of a macro, in a comment or in a directive
# Listed by perfevo alone:
#   lambda*       a function bound to a name: a variable, a property, a field
#   anonymous*    a method of a class without a name
#   local*        a function inside another one, with a name or without, or in a class there
#   receiver*     `def object.name`, see above
#   defaulted*    C++'s `= default`: it holds code
#   macro*        a method made by a macro or by define_method
#   operator*     C++'s operators, which ctags lists under other names or leaves out
#   missed*       a declaration that begins its line (`function name(`): ctags lost its way before it
# `other` is what nothing explains.
set -eu

usage='usage: bench/methods_ctags.sh BUILD_DIR REPO [LANGUAGE...]'
build=${1:?"$usage"}
repo=${2:?"$usage"}
shift 2
[ $# -gt 0 ] || set -- c cpp python javascript typescript tsx java go rust ruby
driver=$(cd "$build" && pwd)/bench/pe_bench_methods

command -v ctags >/dev/null || { echo "methods_ctags: ctags is not installed (universal-ctags)" >&2; exit 125; }
[ -x "$driver" ] || { echo "methods_ctags: $driver is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$repo"
if ! git ls-files -c >"$dir/all" 2>/dev/null; then
	find . -type f >"$dir/all"
fi
while IFS= read -r path; do
	if [ -f "$path" ] && [ ! -L "$path" ]; then
		printf '%s\n' "$path"
	fi
done <"$dir/all" | "$driver" languages >"$dir/languages"

# The files of a language, as ctags lists their functions: file, name, line. It reads each as perfevo does.
list_theirs()
{
	case $1 in
	c) parser=C kinds='^function$' ;;
	cpp) parser=C++ kinds='^function$' ;;
	python) parser=Python kinds='^(function|member)$' ;;
	javascript) parser=JavaScript kinds='^(function|method|getter|setter|generator|class)$' ;;
	typescript | tsx) parser=TypeScript kinds='^(function|method|generator)$' ;;
	java) parser=Java kinds='^method$' ;;
	go) parser=Go kinds='^func$' ;;
	rust) parser=Rust kinds='^(function|method)$' ;;
	ruby) parser=Ruby kinds='^(method|singletonMethod)$' ;;
	*) echo "methods_ctags: no language $1" >&2; exit 129 ;;
	esac
	# A function that makes objects is a class to ctags: it counts where perfevo has it too.
	ctags --language-force="$parser" --extras='-{anonymous}' -L "$dir/part" -x \
		--_xformat='%F	%N	%n	%K' -f - 2>/dev/null |
		awk -F '\t' -v kinds="$kinds" '$4 ~ kinds {
			gsub(/[ \t]/, "", $2)
			print $1 "\t" $2 "\t" $3 "\t" ($4 == "class" ? "perhaps" : "")
		}'
}

for language; do
	awk -F '\t' -v language="$language" '$2 == language { print $1 }' "$dir/languages" >"$dir/part"
	[ -s "$dir/part" ] || continue
	list_theirs "$language" >>"$dir/theirs"
	"$driver" list <"$dir/part" | awk -F '\t' '{
		gsub(/[ \t]/, "", $2)
		print $1 "\t" $2 "\t" $3 "\t" $4 "\t" $5 "\t" $6
	}' >>"$dir/ours"
done
touch "$dir/theirs" "$dir/ours"

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

# From the name on: does an opening brace come before what ends a declaration?
function has_body(file, line, name,    i, at, text, depth)
{
	for (i = line; i < line + 40 && i <= cached_n; i++) {
		text = source_line(file, i)
		if (i == line && (at = index(text, name)) > 0)
			text = substr(text, at + length(name))
		gsub(/\047[^\047]*\047|"[^"]*"|\/\/.*/, "", text)
		while (match(text, /[(){};]/)) {
			at = substr(text, RSTART, 1)
			depth += (at == "(") - (at == ")")
			if (depth <= 0 && (at == ";" || at == "{"))
				return at == "{"
			text = substr(text, RSTART + 1)
		}
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
	if (name ~ /^[A-Z][A-Z0-9_]+$/ && text ~ "\\)[^;{]*" name)
		return "attribute*"
	if (index(text, "def " name ".") || text ~ "(^|[^.A-Za-z0-9_])" name "\\.[A-Za-z0-9_.]+ *= *function")
		return "receiver*"
	if (text ~ "[:=] *(async +)?function *\\*? +" name " *\\(")
		return "bound*"
	if (text ~ "(^|[^.A-Za-z0-9_$])" name "\\[[^]]*\\] *= *(async +)?function")
		return "computed*"
	if (file ~ /\.(js|ts|jsx|tsx)$/ && text ~ "\\." name "\\([^{]*$")
		return "call*"
	if (file ~ /\.java$/ && (text ~ /record / || name ~ /^[A-Z][A-Z0-9_]*$/))
		return "constant*"
	if (text ~ /\\$/ || (line > 1 && source_line(file, line - 1) ~ /\\$/) || text ~ /^[ \t]*(\/\/|\/\*|\*|#)/)
		return "macro text*"
	if (file !~ /\.(py|rb)$/ && !has_body(file, line, name))
		return "declaration*"
	return "other"
}

function indent(text)
{
	match(text, /^[ \t]*/)
	return RLENGTH
}

# Whether one of the lines around it, by their indentation, opens a function without a name or a block.
function in_anonymous(file, line,    i, text, level)
{
	level = indent(source_line(file, line))
	for (i = line - 1; i > 0 && level > 0; i--) {
		text = source_line(file, i)
		if (text ~ /^[ \t]*$/ || indent(text) >= level)
			continue
		level = indent(text)
		if (text ~ /(=>|function *\([^)]*\)) *\{[ \t]*$|[ \t]do( \|[^|]*\|)?$/)
			return 1
	}
	return 0
}

function kind_of_ours(i,    text)
{
	text = source_line(file[i], first[i])
	if (text !~ /[({=|]/)
		text = text " " source_line(file[i], first[i] + 1)
	if (text ~ /define_method/ || full[i] ~ /^([A-Za-z_:]*::)?[A-Z][A-Z0-9_]*\(/)
		return "macro*"
	if (text ~ /= *default/)
		return "defaulted*"
	if (file[i] ~ /\.(js|ts|jsx|tsx)$/ && text ~ "^(export +(default +)?)?(async +)?function *\\*? *" name[i] " *\\(")
		return "missed*"
	if (name[i] ~ /^operator/)
		return "operator*"
	if (text ~ /=>|-> *[({]|lambda|function[ \t*]*\(|= *async|\[[^\]]*\][ \t]*[({]|:?= *func|= *(move *)?\||export default/ ||
	    text ~ /[:=] *function|= *proc/)
		return "lambda*"
	if (full[i] ~ /(^|\.)new |\.[A-Z][A-Z0-9_]*\.[a-z]/)
		return "anonymous*"
	if (text ~ /def [a-z_@][A-Za-z0-9_@]*\./)
		return "receiver*"
	return inner[i] || in_anonymous(file[i], first[i]) ? "local*" : "other"
}

function explained(kind)
{
	return kind ~ /\*$/
}

BEGIN {
	while ((getline < ours) > 0) {
		n++
		file[n] = $1; name[n] = $2; first[n] = $3; last[n] = $4; full[n] = $6
		list[$1, $2] = list[$1, $2] " " n
		for (d = depth[$1]; d > 0 && stack[$1, d] < $4; d--)
			;
		depth[$1] = d + 1
		stack[$1, d + 1] = $4
		inner[n] = d > 0
	}
	while ((getline < theirs) > 0) {
		if (again[$1, $2, $3]++ && $2 !~ /^operator/)
			continue # ctags lists some twice
		best = 0
		k = split(list[$1, $2], at, " ")
		for (i = 1; i <= k; i++)
			if (!taken[at[i]] && first[at[i]] <= $3 && $3 <= last[at[i]] &&
			    (best == 0 || first[at[i]] > first[best]))
				best = at[i]
		if (best == 0 && $4 == "perhaps")
			continue
		m++
		if (best) {
			taken[best] = 1
			both++
		} else {
			left_file[m] = $1; left_name[m] = $2; left_line[m] = $3
		}
	}
	for (i = 1; i <= m; i++)
		if (i in left_file) {
			kind = kind_of_theirs(left_file[i], left_line[i], left_name[i])
			by["ctags", kind]++
			theirs_explained += explained(kind)
			detail[++details] = "ctags only, " kind ": " left_file[i] ":" left_line[i] ": " left_name[i]
		}
	for (i = 1; i <= n; i++)
		if (!taken[i]) {
			kind = kind_of_ours(i)
			by["perfevo", kind]++
			ours_explained += explained(kind)
			detail[++details] = "perfevo only, " kind ": " file[i] ":" first[i] ": " full[i]
		}
	printf "perfevo %d, ctags %d, both %d\n", n, m, both
	if (both > 0) {
		printf "of ctags, perfevo has %6.2f %%, %6.2f %% but for what is explained\n",
			100 * both / m, 100 * both / (m - theirs_explained)
		printf "of perfevo, ctags has %6.2f %%, %6.2f %% but for what is explained\n",
			100 * both / n, 100 * both / (n - ours_explained)
	}
	for (key in by) {
		split(key, part, SUBSEP)
		printf "%6d  %s only, %s\n", by[key], part[1], part[2]
	}
	for (i = 1; i <= details; i++)
		print detail[i]
}' </dev/null
