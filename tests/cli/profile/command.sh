# A command of the project leaves a profile, in any format, where it is told to.
needs sqlite3
empty_repo
cat >perfevo.yml <<'END'
build: 'true'
profile: {command: 'echo "main;f{n} 3" >"$PERFEVO_PROFILE"'}
benchmarks:
  by environment: {command: 'true'}
  by name:
    command: test {n} -gt 0
    parameters: {n: [1, 2]}
    profile: {command: 'printf "main;f{n} 3\nmain;g 4\n" >{profile}', format: folded}
  a list: {command: 'true', profile: {command: [cp, stacks, '{profile}']}}
  nothing: {command: 'true', profile: {command: 'true'}}
  broken: {command: 'true', profile: {command: 'echo "main;f x" >{profile}', format: folded}}
  failing: {command: 'true', profile: {command: 'echo no such profiler >&2; exit 4'}}
  another format: {command: 'true', profile: {command: 'true', format: flded}}
END
echo 'main;of a list 5' >stacks
save first
for bench in 'by environment' 'by name\[n=2\]' 'a list' nothing broken failing 'another format'; do
	code=0
	perfevo profile --format folded -b "$bench" 2>&1 | grep -v 'builds\{0,1\} done' |
		sed 's/^{"event.*//; s/^perfevo: [0-9a-f]\{10\} /perfevo: @ID@ /; s|[^ ]*/scratch/|@SCRATCH@/|g; s/; there are .*//'
done
sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM profiles'
