# bash completion of perfevo; printed by 'perfevo completion bash'

# Words of the standard input, one a line, that begin with $1; $2 stands before each. They are names that others chose:
# nothing in them is for the shell, neither here (compgen -W would expand them) nor on the command line.
_perfevo_choose()
{
	local word quoted
	while IFS= read -r word; do
		word=${word%%$'\t'*}
		printf -v quoted %q "$word"
		if [[ $word == "$1"* || $quoted == "$1"* ]]; then
			COMPREPLY+=("${2-}$quoted")
		fi
	done
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

_perfevo()
{
	local cur=${COMP_WORDS[COMP_CWORD]} found

	COMPREPLY=()
	found=$(perfevo completion --words -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
	# --option=value comes as three words
	if [ "$cur" = = ]; then
		cur=
	fi
	case $found in
	:files) _perfevo_files -f ;;
	:folders) _perfevo_files -d ;;
	:revisions) _perfevo_revisions ;;
	?*) _perfevo_choose "$cur" <<<"$found" ;;
	esac
}

# git's own completion calls this for 'git perfevo'
_git_perfevo()
{
	_perfevo
}

complete -F _perfevo perfevo git-perfevo
