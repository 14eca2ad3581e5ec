# A side that does not build, or whose benchmark fails, leaves no verdict: the status says that nothing could be measured.
project
echo 'this is not C' >>table.c
save 'break the build'
set +e
perfevo compare -b small HEAD~1 2>/dev/null
echo "status $?"
perfevo compare -b small --format json HEAD~1 2>/dev/null | grep -o '"problem":"new could not be profiled[^:]*'
sed -i '$d' table.c
echo '__attribute__((constructor)) static void die(void) { __builtin_trap(); }' >>table.c
save 'break the program'
perfevo compare -b small HEAD~2 2>/dev/null
echo "status $?"
