# fish completion of perfevo; printed by 'perfevo completion fish'

function __perfevo_revisions
	echo HEAD
	git for-each-ref --format='%(refname:short)' 2>/dev/null
end

function __perfevo_benchmarks
	perfevo completion --benchmarks 2>/dev/null
end

complete -c git-perfevo -w perfevo
complete -c perfevo -f
