# While the build system is asked, a terminal shows who is asked, and a pipe nothing. What was asked in is gone.
empty_repo
printf 'bench: bench.c\n\t$(CC) -o $@ bench.c\n' >Makefile
echo 'int main(void) { return 0; }' >bench.c
save start
as_terminal 'TERM=xterm perfevo init --print >/dev/null' >seen
has "a terminal" seen 'asking Make ...'
perfevo init --print 2>seen >printed
same "a pipe" "" "$(cat seen)"
same "files of the copy" "" "$(find "$HOME/cache" -path '*init*')"

# make evaluates what a Makefile asks a shell for, also where it only prints: Ctrl-C ends it, and what it was asked in is gone.
printf 'it := $(shell sleep 3%s)\nbench: bench.c\n\t$(CC) -o $@ bench.c\n' $$ >Makefile
save slow
env --default-signal=INT perfevo init --print >/dev/null 2>seen &
tool=$!
wait_for 'make' pgrep -f "^sleep 3$$" >/dev/null
kill -INT "$tool"
ended 128
same 'files of the copy' '' "$(find "$HOME/cache" -path '*init*')"
