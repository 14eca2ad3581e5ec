# bash completion of perfevo; printed by 'perfevo completion bash'

# Words of the standard input, one a line, that begin with $1; $2 stands before each. They are names that others chose:
# nothing in them is for the shell, neither here (compgen -W would expand them) nor on the command line.
_perfevo_choose()
{
	local word quoted
	while IFS= read -r word; do
		printf -v quoted %q "$word"
		if [[ $word == "$1"* || $quoted == "$1"* ]]; then
			COMPREPLY+=("${2-}$quoted")
		fi
	done
}

_perfevo_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_perfevo_files()
{
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}

_perfevo_revisions()
{
	local before=''
	case $cur in *..*) before=${cur%..*}.. ;; esac
	_perfevo_choose "${cur#"$before"}" "$before" < <(
		echo HEAD
		git for-each-ref --format='%(refname:short)' 2>/dev/null
	)
}

_perfevo_benchmarks()
{
	_perfevo_choose "$cur" < <(perfevo completion --benchmarks 2>/dev/null)
}

_perfevo()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' options='' i

	COMPREPLY=()
	# --option=value comes as three words
	if [ "$cur" = = ]; then
		cur=
	elif [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		# @commands@
		esac
	done
	case "$command $prev" in
	# @values@
	esac
	case $command in
	# @words@
	esac
}

# git's own completion calls this for 'git perfevo'
_git_perfevo()
{
	_perfevo
}

complete -F _perfevo perfevo git-perfevo
