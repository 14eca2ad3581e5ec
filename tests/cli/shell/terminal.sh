# A shell on a terminal of its own: of the user's size, with jobs, and Ctrl-C is the shell's.
export SHELL=/bin/sh TERM=xterm
empty_repo
printf 'build: "true"\nbenchmarks:\n  none: {command: "true"}\n' >perfevo.yml
save one

# typed WORD TEXT COMMAND: type a text once the command has printed a word; what the terminal showed is in `shown`
typed()
{
	: >shown
	{
		until grep -q "^$1" shown; do sleep 0.05; done
		printf "$2"
	} | script -qec "stty cols 91 rows 33; $3; echo status \$?; stty -a" /dev/null >shown
	tr -d '\r' <shown >seen
}

typed 'perfevo: what you' 'stty size; echo $((40+2)); tty; exit 3\n' 'perfevo shell'
has 'the shell' seen 'what you change here is thrown away'
has 'its size' seen '33 91'
grep -qx 42 seen || fail 'what is typed is executed'
has 'its exit status' seen 'status 3'
has 'the terminal is as it was' seen ' echo '
has 'the terminal is as it was' seen ' icanon '

typed ready '\003' "perfevo shell -- sh -c 'trap \"echo it was told; exit 9\" INT; echo ready; sleep 300 & wait'"
has 'Ctrl-C' seen 'it was told'
has 'Ctrl-C' seen 'status 9'

# Where it has the terminal for its output alone, a command that had it could open it and read what is typed.
script -qec 'tty; perfevo shell -- readlink /proc/self/fd/1 </dev/null
perfevo shell -- sh -c "readlink /proc/self/fd/2 >&2" </dev/null >/dev/null' /dev/null </dev/null >shown
tr -d '\r' <shown | grep '^/' >seen
[ "$(wc -l <seen)" = 3 ] || fail "each has a terminal: $(cat seen)"
[ "$(sort -u seen | sed -n '$=')" -ge 2 ] && [ "$(grep -cxF "$(head -n 1 seen)" seen)" = 1 ] ||
	fail "no command has the user's terminal: $(cat seen)"
