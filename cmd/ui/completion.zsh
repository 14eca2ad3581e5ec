#compdef perfevo git-perfevo
# zsh completion of perfevo; printed by 'perfevo completion zsh'

_perfevo_revisions() {
	local -a revisions
	revisions=(HEAD ${(f)"$(git for-each-ref --format='%(refname:short)' 2>/dev/null)"})
	compset -P '*..'
	compadd -a revisions
}

_perfevo_benchmarks() {
	local -a names
	names=(${(f)"$(perfevo completion --benchmarks 2>/dev/null)"})
	compadd -a names
}

# @commands@
_perfevo() {
	local curcontext=$curcontext state line
	local -A opt_args

	_arguments -C -s \
		# @options@
		'1:command:->command' \
		'*::operand:->operands'
	case $state in
	command)
		_perfevo_commands
		;;
	operands)
		curcontext=${curcontext%:*:*}:perfevo-$words[1]:
		(( $+functions[_perfevo_$words[1]] )) && _perfevo_$words[1]
		;;
	esac
}

# loaded by compinit it is the function itself, sourced it is registered
if [ "$funcstack[1]" = _perfevo ]; then
	_perfevo "$@"
else
	compdef _perfevo perfevo git-perfevo
fi
