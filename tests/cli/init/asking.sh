# While the build system is asked, a terminal shows who is asked, and a pipe nothing. Ctrl-C leaves nothing behind.
# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"
git init -q repo
cd repo
# shellcheck disable=SC2016 # the variable is for make
printf 'bench: bench.c\n\t$(CC) -o $@ bench.c\n' >Makefile
echo 'int main(void) { return 0; }' >bench.c
save start
as_terminal 'TERM=xterm perfevo init --print' >seen
has "a terminal" seen 'asking Make ...'
perfevo init --print 2>seen >printed
same "a pipe" "" "$(cat seen)"
# shellcheck disable=SC2016 # the variables are for make
printf 'X := $(shell touch $(CURDIR)/asked; sleep 1200)\nall:\n' >Makefile
save slow
# What a shell starts in the background ignores SIGINT otherwise.
env --default-signal=INT perfevo init >out 2>err </dev/null &
tool=$!
until [ -e "$(find "$HOME/cache" -name asked | head -1)" ]; do
	kill -0 "$tool" 2>/dev/null || fail "perfevo ended: $(cat err)"
	sleep 0.05
done
ctrl_c "$tool"
status=0
wait "$tool" || status=$?
same "exit status" 128 "$status"
same "what is printed" "" "$(cat out)"
has "why it ended" err 'stopped'
same "files of the copy" "" "$(find "$HOME/cache" -path '*init*')"
[ ! -e perfevo.yml ] || fail "there is a config"
