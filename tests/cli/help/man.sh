# Every manual page is sound, and names everything that the help names.
for command in '' init check track log show export gc completion help; do
	perfevo help --man $command >page.1
	mandoc -T lint -W warning page.1
	mandoc -T utf8 page.1 | sed "s/.$(printf '\010')//g" | tr -s ' \n' ' ' >text
	perfevo help $command | grep -oE -- '--[a-z-]+' | sort -u | while read -r option; do
		grep -qF -- "$option" text || echo "$command: no $option in the manual page"
	done
done
