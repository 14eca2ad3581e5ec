# fish completion of perfevo; printed by 'perfevo completion fish'

function __perfevo_complete
	set -l word (commandline -ct)
	set -l before (string match -r -- '^--[^=]*=' $word)
	set -l value (string replace -r -- '^--[^=]*=' '' $word)
	for line in (perfevo completion --words -- (commandline -opc) "$word" 2>/dev/null)
		switch $line
			case :files
				__fish_complete_path "$value" | string replace -r -- '^' "$before"
			case :folders
				__fish_complete_directories "$value" | string replace -r -- '^' "$before"
			case :revisions
				echo "$before"HEAD
				git for-each-ref --format="$before%(refname:short)" 2>/dev/null
			case '*'
				echo $line
		end
	end
end

complete -c git-perfevo -w perfevo
complete -c perfevo -f -a '(__perfevo_complete)'
