# A build that wants packages and does not reach the network: its log says which line of the config gives them to it.
command -v npm >/dev/null || exit 77
new_repo
cat >package.json <<'END'
{"name": "demo", "version": "1.0.0", "dependencies": {"fetched": "1.0.0"}}
END
# A name that no server knows, ever (RFC 2606).
cat >package-lock.json <<'END'
{"name": "demo", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
	"": {"name": "demo", "version": "1.0.0", "dependencies": {"fetched": "1.0.0"}},
	"node_modules/fetched": {"version": "1.0.0", "resolved": "http://registry.invalid/fetched/-/fetched-1.0.0.tgz",
		"integrity": "sha512-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="}}}
END
save first
perfevo_yml 'test -d node_modules || npm ci --no-audit --no-fund --fetch-retries=0' \
	'prog: {command: test -d node_modules/fetched, warmup: 0, repeats: 1, allocations: false}'
echo perfevo.yml >>.git/info/exclude
echo node_modules >>.git/info/exclude
# log: what the newest commit's failed build says
log()
{
	perfevo track --last 1 --no-open --no-confirm -q --again >"$case_dir/out" 2>&1 || :
	perfevo show >"$case_dir/log"
}

log
has 'no network at all' "$case_dir/log" "the network was not reached: a folder that was downloaded into before is given to every commit by 'overlay: [FOLDER]'"
cp perfevo.yml "$case_dir/plain.yml"
echo 'sandbox: require' >>perfevo.yml
log
if ! grep -q 'sandbox.*needs\|no sandbox' "$case_dir/out"; then
	has 'none in the sandbox' "$case_dir/log" "the sandbox gives no network: put the step under 'build: {prepare: ...}'"
fi

cp "$case_dir/plain.yml" perfevo.yml
mkdir -p node_modules/fetched
echo '{"name": "fetched", "version": "1.0.0"}' >node_modules/fetched/package.json
echo 'overlay: [node_modules]' >>perfevo.yml
track 0 --last 1
same 'what overlay: is good for' 'first|prog|timed|measured|1' "$(counts)"
