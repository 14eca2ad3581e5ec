# bash completion of perfevo; printed by 'perfevo completion bash'

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
	mapfile -t COMPREPLY < <(compgen -P "$before" -W \
		"HEAD $(git for-each-ref --format='%(refname:short)' 2>/dev/null)" -- "${cur#"$before"}")
}

_perfevo_benchmarks()
{
	local IFS=$'\n'
	mapfile -t COMPREPLY < <(compgen -W "$(perfevo completion --benchmarks 2>/dev/null)" -- "$cur")
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
