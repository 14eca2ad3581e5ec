# Commands that act on a repository say what they did as JSON, too: one document on stdout, whatever else there is.
measured_repo

# shown COMMAND...: its document, read by somebody else's parser, with paths and sizes left out
shown()
{
	echo "# $*"
	perfevo "$@" --format json >../document || echo "status $?"
	same 'one line' 1 "$(wc -l <../document)"
	sqlite3 :memory: "SELECT json(readfile('../document'))" |
		sed -E "s|$PWD|REPO|g; s|cache/perfevo/[0-9a-f]*|cache/ID|; s|\"$HOME|\"HOME|; s/(\"bytes[a-z_]*\":)[1-9][0-9]*/\1N/g"
}

rm -f .git/hooks/*
shown hooks status
shown hooks install --pre-push
sed -i 's/exec/: ; exec/' .git/hooks/pre-push
shown hooks status | sed 's/.*"hooks"://'
shown hooks remove
git init -q --bare ../hub.git
git remote add origin ../hub.git
shown push -n
shown push 2>/dev/null
shown pull
shown gc -n --cache --keep-last 3
shown gc --quiet --keep-last 3
shown allow
shown init --print | sed 's/"yaml":"[^"]*\(\\"[^"]*\)*"/"yaml":"..."/'
echo "# nightly"
perfevo nightly --quiet --format json >../document || echo "status $?"
sqlite3 :memory: "SELECT d ->> 'format', json_array_length(d, '$.events'), json_array_length(d, '$.regressions'), d ->> 'cut_short'
	FROM (SELECT readfile('../document') AS d)"
! perfevo nightly --crontab --format json 2>../err
has 'what cannot be' ../err '--format is for the news of a run'
