# The units of the timer: what they say, that systemd is told, and that the service's command works.
# shellcheck source=tests/cli/nightly/lib.sh
. "$CASE_DIR/lib.sh"
watched_repo
mkdir "$HOME/bin"
cat >"$HOME/bin/systemctl" <<'END'
#!/bin/sh
echo "$*" | sed 's/nightly-[0-9a-f]*/nightly-ID/' >>"$HOME/told"
END
printf '#!/bin/sh\nexit 127\n' >"$HOME/bin/crontab"
chmod +x "$HOME/bin/systemctl" "$HOME/bin/crontab"
PATH=$HOME/bin:$PATH
perfevo nightly --install --at 04:05 2>&1
cat "$HOME/told"
cat "$HOME"/.config/systemd/user/*.timer
sed '/^ExecStart/d' "$HOME"/.config/systemd/user/*.service
if command -v systemd-analyze >/dev/null; then
	XDG_RUNTIME_DIR=$HOME systemd-analyze verify --user "$HOME"/.config/systemd/user/*.timer >../verify 2>&1 || true
	grep perfevo-nightly ../verify || true
fi
echo "# the command, as the service runs it"
figure=1200
commit 'slow one'
word=$(sed -n 's/^ExecStart=\/bin\/sh -c "\(.*\)"$/\1/p' "$HOME"/.config/systemd/user/*.service)
cd /
env -i PERFEVO_VALGRIND= HOME="$HOME" PATH=/usr/bin:/bin XDG_CACHE_HOME="$HOME/cache" /bin/sh -c "$word" </dev/null >/dev/null 2>&1 || echo "status $?"
cd "$OLDPWD"
echo "# taken back"
perfevo nightly --remove 2>&1
ls "$HOME/.config/systemd/user"
