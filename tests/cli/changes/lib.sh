# changed SUBJECT FILE SED: commit an edit and cross it
changed()
{
	sed -i "$3" "$2"
	save "$1"
	perfevo changes --code -q | sed '1s/^[0-9a-f]* /# /; $s/of [0-9]* functions/of N functions/'
}
