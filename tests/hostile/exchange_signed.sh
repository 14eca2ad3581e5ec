# P2: signatures of bundles: made by push, looked at by pull. One that does not hold is refused; one of a key that nobody
# named decides nothing; a trusted one counts, as long as it is trusted.

command -v ssh-keygen >/dev/null && command -v ssh-agent >/dev/null || exit 77
for key in mine other; do ssh-keygen -q -t ed25519 -N '' -C x -f "$HOME/$key"; done
fingerprint() { ssh-keygen -lf "$HOME/$1.pub" | cut -d ' ' -f 2; }

# signed TREE KEY NAMESPACE: the id of a commit of the tree with a signature; CHANGED is what is signed in its place
signed()
{
	printf 'tree %s\nauthor x <x> 1 +0000\ncommitter x <x> 1 +0000\n\nx\n' "$1" >../content
	printf '%s' "${CHANGED-}" | cat ../content - >../covered
	ssh-keygen -q -Y sign -n "$3" -f "$HOME/$2" <../covered >../signature 2>/dev/null
	[ -z "${GARBAGE-}" ] || echo "$GARBAGE" >../signature
	{
		sed -n 1,3p ../content
		sed '1s/^/gpgsig /; 2,$s/^/ /' ../signature
		sed 1,3d ../content
	} | git -C "$hub" hash-object -t commit -w --stdin
}

# send KEY NAMESPACE: the honest results once more, signed
sent=0
send()
{
	sent=$((sent + 1))
	{ cat ../honest; printf '%*s\n' "$sent" ''; } >../document
	tree=$(printf '100644 blob %s\tx.json\n' "$(git -C "$hub" hash-object -w ../document)" | git -C "$hub" mktree)
	git -C "$hub" update-ref "refs/perfevo/results/$tree" "$(signed "$tree" "$1" "$2")"
}
origins() { sqlite3 "$database" "SELECT origin FROM machines WHERE origin <> '' ORDER BY 1"; }

measured_repo
git config gpg.format ssh
git config user.signingkey "$HOME/mine.pub"
open_hub
genuine '"batch":{' | elsewhere >../honest

echo "# refused"
send mine git
CHANGED='more' send mine perfevo
GARBAGE=nothing send mine perfevo
GARBAGE='-----BEGIN PGP SIGNATURE-----' send mine perfevo
good=$(git -C "$hub" mktree </dev/null)
git -C "$hub" update-ref refs/perfevo/results/00000000000000000000000000000000000000ff "$(signed "$good" mine perfevo)"
refused_once 5
same "origins" '' "$(origins)"

echo "# revoked before it comes; with a list that cannot be read, it is left for later"
git config gpg.ssh.revocationFile "$HOME/absent"
send mine perfevo
perfevo pull 2>&1 | grep -c 'left for later: cannot read .*absent'
mkdir "$HOME/lists"
cat "$HOME/other.pub" "$HOME/mine.pub" >"$HOME/lists/revoked"
# shellcheck disable=SC2088 # git expands it
git config gpg.ssh.revocationFile '~/lists/revoked'
refused_once 1
same "origins" '' "$(origins)"
git config --unset gpg.ssh.revocationFile

echo "# push signs, also with a key that an agent has"
git clone -q "$hub" ../clone
(
	cd ../clone
	on_machine clone
	git config gpg.format ssh
	eval "$(ssh-agent -s)" >/dev/null
	ssh-add -q "$HOME/other"
	git config user.signingkey "key::$(cat "$HOME/other.pub")"
	perfevo track --quiet --no-open --no-confirm >/dev/null
	perfevo push >/dev/null 2>../err || { cat ../err; ssh-agent -k >/dev/null; exit 1; }
	ssh-agent -k >/dev/null
	git config user.signingkey -x
	perfevo push --no-sign
)
send mine perfevo
refused_once 0
same "origins" "$(for key in mine other; do fingerprint "$key"; done | sort)" "$(origins)"

echo "# nothing is measured here"
git clone -q "$hub" ../fresh
cd ../fresh
on_machine fresh
perfevo pull -q >/dev/null 2>&1
perfevo log >/dev/null 2>../err
has "where it comes from" ../err 'signed by SHA256:'
echo "# without trust"
perfevo bisect 2>&1 | sed 's/^.*: nothing/nothing/'
perfevo bisect >/dev/null 2>&1 || echo "status $?"
printf 'trust:\n  - %s\n' "$(fingerprint other)" >>perfevo.yml
echo "# with trust"
perfevo bisect -b '^none$' 2>&1 | sed "s/'\^none\$'/NAME/"
perfevo log 2>&1 >/dev/null | grep -c "$(fingerprint other)"

echo "# revoked after it was trusted"
git config gpg.ssh.revocationFile "$HOME/revoked"
cp "$HOME/other.pub" "$HOME/revoked" # a list of public keys
perfevo bisect 2>&1 | sed 's/^.*: nothing/nothing/'
perfevo log >../err 2>&1
has "a revoked key" ../err "$(fingerprint other) (revoked), pulled from"
ssh-keygen -q -k -f "$HOME/revoked" "$HOME/other.pub" # a KRL
perfevo bisect 2>&1 | sed 's/^.*: nothing/nothing/'
head -c 20 "$HOME/revoked" >"$HOME/short"
for list in short absent; do
	git config gpg.ssh.revocationFile "$HOME/$list"
	perfevo bisect 2>&1 | sed "s|$HOME|HOME|; s/SHA256:[^ ]*/KEY/"
	perfevo log >../err 2>&1
	has "a list that cannot be read" ../err '(revoked)'
done
echo "# another one is"
ssh-keygen -q -k -f "$HOME/revoked" "$HOME/mine.pub"
git config gpg.ssh.revocationFile "$HOME/revoked"
perfevo bisect -b '^none$' 2>&1 | sed "s/'\^none\$'/NAME/"
git config --unset gpg.ssh.revocationFile
sed -i 's/SHA256:.*/key/' perfevo.yml
perfevo track --dry-run 2>&1 | grep -o 'fingerprint of a key'
echo "# a key that is not there"
git config gpg.format ssh
git config user.signingkey /nowhere/key
perfevo track --quiet --no-open --no-confirm >/dev/null 2>&1 || true
git checkout -q perfevo.yml
perfevo track --quiet --no-open --no-confirm >/dev/null 2>&1
perfevo push 2>&1 | sed 's/key): .*; push/key): WHY; push/'
perfevo push --no-sign >/dev/null
