#compdef perfevo git-perfevo
# zsh completion of perfevo; printed by 'perfevo completion zsh'

_perfevo() {
	local line tab=$'\t'
	local -a described revisions

	for line in ${(f)"$(perfevo completion --words -- "${(@)words[1,CURRENT]}" 2>/dev/null)"}; do
		case $line in
		:files | :folders)
			compset -P '--*='
			if [[ $line == :files ]]; then _files; else _files -/; fi
			;;
		:revisions)
			compset -P '--*='
			compset -P '*..'
			revisions=(HEAD ${(f)"$(git for-each-ref --format='%(refname:short)' 2>/dev/null)"})
			compadd -a revisions
			;;
		*$tab*) described+=("${${line%%$tab*}//:/\\:}:${line#*$tab}") ;;
		*) described+=("${line//:/\\:}") ;;
		esac
	done
	(( $#described )) && _describe perfevo described
}

# loaded by compinit it is the function itself, sourced it is registered
if [ "$funcstack[1]" = _perfevo ]; then
	_perfevo "$@"
else
	compdef _perfevo perfevo git-perfevo
fi
