# Notifications: a mail, a command, a file. What failed is sent the next night; what was sent is not sent again.
watched_repo
mkdir "$HOME/bin"
printf '#!/bin/sh\nexit 75\n' >"$HOME/bin/sendmail"
chmod +x "$HOME/bin/sendmail"
PATH=$HOME/bin:$PATH
sed -i 's/notify: .*/notify: {mail: team@example.org}/' perfevo.yml
figure=1300
commit 'slow one'
perfevo nightly 2>&1 | grep -v '^perfevo: \(tracking\|bisecting\|writing\)' | grep 'failed'
echo "# the next night"
printf '#!/bin/sh\ncat >"$HOME/mail"\n' >"$HOME/bin/sendmail"
perfevo nightly --quiet >/dev/null || echo "status $?"
sed "s/[0-9a-f]\{10\}/COMMIT/g; s/^[0-9a-f]\{8\} /COMMIT /; s/  \[[^]]*\]/  [INTERVAL]/; s|^report: .*|report: FILE|" "$HOME/mail"
rm "$HOME/mail"
perfevo nightly --quiet
ls "$HOME/mail" 2>/dev/null || echo "no mail"
echo "# a command"
cat >notify.sh <<'END'
cat >../given.json
sqlite3 :memory: "SELECT value ->> 'subject' FROM json_each(readfile('../given.json'), '$.regressions')" >../subjects
END
sed -i 's/notify: .*/notify: {command: sh notify.sh}/' perfevo.yml
figure=2000
commit 'slower still'
perfevo nightly --quiet >/dev/null || echo "status $?"
cat ../subjects
echo "# an address that would be another header"
sed -i 's/notify: .*/notify: {mail: "a@b\\nBcc: c@d"}/' perfevo.yml
perfevo nightly 2>&1 || echo "status $?"
