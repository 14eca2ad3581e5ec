# The line that --install puts into the crontab works in cron's environment: next to no variables, another folder,
# no terminal. Other lines of the table stay as they are, and --remove takes back its own alone.
watched_repo
mkdir "$HOME/bin"
cat >"$HOME/bin/crontab" <<'END'
#!/bin/sh
# A table in a file, as the real one keeps it.
case $1 in
-l) cat "$HOME/table" 2>/dev/null || { echo 'no crontab' >&2; exit 1; } ;;
-) cat >"$HOME/table" ;;
esac
END
chmod +x "$HOME/bin/crontab"
PATH=$HOME/bin:$PATH
printf '# mine\n5 4 * * * true # 100 %%\n' >"$HOME/table"
cp "$HOME/table" ../before
perfevo nightly --install --at 25:00 2>&1 || echo "status $?"
perfevo nightly --install --at 02:30 2>&1
perfevo nightly --install --at 03:15 2>&1
echo "# one line more, however often"
grep -c perfevo-nightly "$HOME/table"
grep perfevo-nightly "$HOME/table" | cut -d ' ' -f 1-5

echo "# run as cron does"
figure=1200
commit 'slow one'
command=$(grep perfevo-nightly "$HOME/table" | cut -d ' ' -f 6- | sed 's/\\%/%/g')
cd /
env -i PERFEVO_VALGRIND= HOME="$HOME" LOGNAME=ada SHELL=/bin/sh PATH=/usr/bin:/bin XDG_CACHE_HOME="$HOME/cache" \
	/bin/sh -c "$command" </dev/null >"$HOME/mail" 2>&1 || echo "status $?"
cd "$OLDPWD"
sed 's/[0-9a-f]\{10\}/COMMIT/g; s/^[0-9a-f]\{8\} /COMMIT /; s/  \[[^]]*\]/  [INTERVAL]/' "$HOME/mail"
sqlite3 :memory: "SELECT value ->> 'subject' FROM json_each(readfile('../news.json'), '\$.regressions')"
ls .git/perfevo/nightly/*.log | wc -l

echo "# taken back"
perfevo nightly --remove 2>&1
cmp "$HOME/table" ../before
perfevo nightly --remove 2>&1
