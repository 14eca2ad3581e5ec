# What fails is told with its log, and nothing is stored; exit status 125.
needs gcc
empty_repo
sources
perfevo_yml 'sh build.sh' \
	'prog: [./prog]' \
	'status: ./prog; exit 3' \
	'killed: ./prog; kill -SEGV $$' \
	"setup: {command: [./prog], setup: 'echo no room; exit 1'}"
echo 'gcc -O2 prog.c work.c -o prog' >build.sh
save works
echo 'echo hooks do not link here; exit 9' >build.sh
save 'does not build'

# failed BENCH REV: collect, with what is said of it
failed()
{
	code=0
	perfevo profile --mode counting -b "$1" "$2" >out 2>err || code=$?
	cat out
	grep -v 'builds\{0,1\} done' err | sed 's/^perfevo: [0-9a-f]\{10\} /perfevo: @ID@ /'
	echo "status $code"
}

failed prog HEAD
failed status HEAD~
failed killed HEAD~
failed setup HEAD~
failed nothing HEAD
failed . HEAD
sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM profiles'
