# P7: what others may not read below /etc, /opt and /usr/local is not there for a confined build, with `auto` neither: whoever owns
# it, sockets too, and with `require` what takes its place during the build. Here they are overlaid: nothing of the machine changes.
[ "$(id -u)" -eq 0 ] || exit 77 # who overlays these folders in a namespace is no owner of /tmp there
if [ "${1-}" != inside ]; then
	unshare -Urm true 2>/dev/null || exit 77
	unshare -m sh "$0" inside
	exec unshare -m sh "$0" inside 65534
fi
. "$SOURCE_DIR/tests/cli/lib.sh"
. "$CASE_DIR/lib.sh"
user=${2-0}
rm -rf over repo
mkdir over
mount -t tmpfs none over || exit 77
for folder in etc opt usr/local; do
	mkdir -p "over/$folder" "over/scratch/$folder"
	mount -t overlay -o "lowerdir=/$folder,upperdir=$PWD/over/$folder,workdir=$PWD/over/scratch/$folder" none "/$folder" || exit 77
done
for file in /etc/gitlab-runner/config.toml /etc/krb5.keytab /etc/wireguard/wg0.conf /etc/python-x/token /etc/docker-x/key.json \
	/etc/rancher/k3s/k3s.yaml /opt/actions-runner/.credentials /opt/x/.ssh/id_rsa /opt/deep/a/b/c/d/token \
	/usr/local/own/etc/token /usr/local/token; do
	mkdir -p "$(dirname $file)"
	echo TOPSECRET >$file
	chmod 600 $file
	chown "$user" $file
done
mkdir /opt/closed
chown "$user" /opt/closed
echo TOPSECRET >/opt/closed/token
chmod 711 /opt/closed
echo open >/opt/x/open
python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.bind("/opt/x/agent"); s.listen(); __import__("time").sleep(600)' &
agent=$!
trap 'kill $agent' EXIT
while [ ! -S /opt/x/agent ]; do sleep 0.1; done
chmod 777 /opt/x/agent

cat >build.sh <<'E2'
exec >said 2>/dev/null
cat /opt/x/open
grep -rls TOPSECRET /etc /opt/actions-runner /opt/x /opt/deep /usr/local/own /usr/local/token
cat /opt/closed/token
[ ! -S /opt/x/agent ] || echo socket
: >waiting
while [ "$(cat /opt/x/open)" = open ]; do sleep 0.1; done
grep -rls TOPSECRET /etc /opt/actions-runner /opt/x /opt/deep /usr/local/own /usr/local/token
[ "$(cat /opt/x/open)" != named ] || cat /etc/krb5.keytab
E2
# built MODE WORD [READ]: what the build printed, while a token is renewed
built()
{
	echo open >/opt/x/open
	printf '%s\n' "sandbox: {mode: $1, read: [$3]}" 'build: {steps: sh build.sh, timeout: 60s}' \
		'benchmarks: {one: {command: "true", warmup: 0, repeats: 1}}' >perfevo.yml
	echo "# $2" >>build.sh
	as_user git add -A
	as_user git commit -qm "$1 $2"
	as_user perfevo track --quiet --no-open --no-confirm --last 1 >/dev/null 2>&1 &
	track=$!
	while [ -z "$(find "$HOME" -name waiting)" ] && kill -0 $track 2>/dev/null; do sleep 0.1; done
	if [ "$1" = require ]; then
		echo TOPSECRET >new
		chmod 600 new
		chown "$user" new
		mv new /opt/x/.ssh/id_rsa
	fi
	echo "$2" >/opt/x/open
	wait $track || :
	find "$XDG_CACHE_HOME" -path '*/tree/said' -exec cat {} + | sort -u | grep -vx "$2" || :
	rm -rf "$XDG_CACHE_HOME"
}
mkdir repo
mv build.sh repo
cd repo
chown -R "$user:$user" .. "$HOME"
chown "$user" ../.. ../../tmp
as_user() { setpriv --reuid "$user" --regid "$user" --clear-groups "$@"; }
as_user git init -q .
same 'with require' open "$(built require renewed '')"
same 'with auto' open "$(built auto renewed '')"
same 'what the config names' '/etc/krb5.keytab
TOPSECRET
open' "$(built require named /etc/krb5.keytab)"
