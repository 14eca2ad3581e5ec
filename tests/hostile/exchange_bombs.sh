# P2, P4: bundles that are large when they are inflated, or many, cost one look at their headers: under a limit of memory
# that holds none of them, and once.

measured_repo
open_hub
# A6: zeros, few on the wire
head -c 400000000 /dev/zero >../zeros
forge ../zeros
rm ../zeros
# A7: within the bytes, but each is a value; nested, and rows
{ printf '{"format":"perfevo results","version":2,"runs":[0'; yes ',0' | head -c 12000000 | tr -d '\n'; printf ']}'; } >../values
forge ../values
head -c 100000 /dev/zero | tr '\0' '[' >../nested
forge ../nested
genuine '"batch":{' | elsewhere >../honest
cell=$(sed -n 's/.*"cells":\[$//p; /"cells":\[/{n;p;q}' ../honest)
{
	sed '/"cells":\[/q' ../honest
	yes "${cell%%]*}]," | head -n 300000
	sed '1,/"cells":\[/d' ../honest
} >../rows
forge ../rows
# A8: refs that name nothing of the kind, and more of them
commit=$(git -C "$hub" rev-parse main)
i=0
while [ "$i" -lt 200 ]; do
	i=$((i + 1))
	printf 'create refs/perfevo/results/%040x %s\n' "$i" "$commit"
done | git -C "$hub" update-ref --stdin
printf 'create refs/perfevo/results/%s %s\n' not-a-name "$commit" | git -C "$hub" update-ref --stdin
# A replay: a genuine commit under another name
git -C "$hub" update-ref refs/perfevo/results/00000000000000000000000000000000000000ff \
	"$(git -C "$hub" for-each-ref --format='%(objectname)' refs/perfevo/results | tail -n 1)"
(
	case ${ASAN_OPTIONS-} in '') ulimit -v 900000 ;; esac # the sanitizer maps terabytes
	refused_once 205 # four, the refs, and the replay
)
