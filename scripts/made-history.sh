# shellcheck shell=sh
# What scripts share that make a git repository: its authors, dates and contents are fixed, so that the ids of the
# commits are the same on every machine.

# made_begin NAME "$@": make the folder that is asked for, which becomes the current one
made_begin()
{
	made=$1
	shift
	[ $# -eq 1 ] || {
		echo "usage: $made.sh DIR" >&2
		exit 129
	}
	mkdir -p "$1"
	cd "$1" || exit 128
	[ -z "$(ls -A)" ] || {
		echo "$made: '$1' is not empty" >&2
		exit 128
	}

	# Nothing of the user's own git configuration may reach the commits.
	for name in $(env | sed -n 's/^\(GIT_[A-Z_]*\)=.*/\1/p'); do
		unset "$name"
	done
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_DEFAULT_HASH=sha1 HOME=/nowhere
	export GIT_AUTHOR_NAME='Tilda Hash' GIT_AUTHOR_EMAIL=tilda@example.org
	export GIT_COMMITTER_NAME='Tilda Hash' GIT_COMMITTER_EMAIL=tilda@example.org
	umask 022
	clock=1704182400 # 2024-01-02 08:00 UTC
}

# tick SECONDS: the next commit comes so much later
tick()
{
	clock=$((clock + $1))
	GIT_AUTHOR_DATE="$clock +0000"
	GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
	export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
}

# edit FILE SCRIPT: change a file with sed; an edit that changes nothing is a mistake of the script
edit()
{
	sed "$2" "$1" >edited.tmp
	if cmp -s "$1" edited.tmp; then
		echo "$made: nothing to change in $1 for '$2'" >&2
		exit 128
	fi
	mv edited.tmp "$1"
}
