# The line that --crontab prints works in cron's environment: next to no variables, another folder, no terminal.
watched_repo
perfevo nightly --crontab --at 25:00 2>&1 || echo "status $?"
perfevo nightly --crontab --at 03:15 >../table
cut -d ' ' -f 1-5 ../table

echo "# run as cron does"
figure=1200
commit 'slow one'
command=$(cut -d ' ' -f 6- ../table | sed 's/\\%/%/g')
cd /
env -i PERFEVO_VALGRIND= HOME="$HOME" LOGNAME=ada SHELL=/bin/sh PATH=/usr/bin:/bin XDG_CACHE_HOME="$HOME/cache" \
	/bin/sh -c "$command" </dev/null >"$HOME/mail" 2>&1 || echo "status $?"
cd "$OLDPWD"
sed 's/[0-9a-f]\{10\}/COMMIT/g; s/^[0-9a-f]\{8\} /COMMIT /; s/  \[[^]]*\]/  [INTERVAL]/' "$HOME/mail"
sqlite3 :memory: "SELECT value ->> 'subject' FROM json_each(readfile('../news.json'), '\$.regressions')"
ls .git/perfevo/nightly/*.log | wc -l

echo "# paths count from the folder that it is started in"
mkdir below
cp perfevo.yml below/own.yml
cd below
perfevo --config own.yml --store own.db nightly --quiet -o page.html >/dev/null 2>&1 || echo "status $?"
ls
perfevo --config own.yml nightly --crontab --fetch origin --last 7 --budget 1h -o page.html main | sed "s/.* -C '[^']*'//"
