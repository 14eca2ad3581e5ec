# P6: what a server or ssh says during push, pull and a nightly fetch moves no cursor and sets no title; a flood of it is cut.
measured_repo
git init -q --bare ../hub.git
git remote add origin ../hub.git
cat >../ssh <<'E2'
#!/bin/sh
printf 'one\033]0;PWN\007\302\233\rperfevo: FORGED\n' >&2
[ ! -e ../flood ] || head -c 100000000 /dev/zero | tr '\0' x >&2
shift $(($# - 1))
exec sh -c "$1"
E2
printf '#!/bin/sh\nprintf "two\\033[31m\\342\\200\\256\\n" >&2\n' >../hub.git/hooks/update
chmod +x ../ssh ../hub.git/hooks/update
export GIT_SSH="$PWD/../ssh" GIT_SSH_VARIANT=simple
git remote set-url origin "here:$PWD/../hub.git"
unset GIT_SSH_COMMAND
clean()
{
	"$@" >../out 2>&1 || fail "$*: $(cat ../out)"
	! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2\x9b|\xe2\x80\xae|^perfevo: FORGED' ../out ||
		fail "$*: $(cat -v ../out)"
	has "$*" ../out 'one\u001b]0;PWN'
}
clean perfevo push origin
has 'the hook' ../out 'remote: two\u001b[31m'
clean perfevo pull origin
: >../flood
clean perfevo pull origin
[ "$(wc -c <../out)" -lt 100000 ] || fail 'the flood came through'
rm ../flood
sed -i '1i nightly: {fetch: origin, notify: {file: ../news.json}}' perfevo.yml
save nightly
git push -q origin main 2>/dev/null
clean sh -c 'perfevo nightly; cat .git/perfevo/nightly/*.log'
