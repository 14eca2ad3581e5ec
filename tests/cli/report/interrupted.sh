# Ctrl-C while a report measures: the page that was there stays, and the same command makes the new one afterwards.
. "$CASE_DIR/../compare/lib.sh"
top=$PWD
project
cat >build.sh <<END
if [ -e "$top/hold" ]; then
	touch "$top/held"
	while [ -e "$top/hold" ]; do sleep 0.05; done
fi
gcc -O1 -g -fno-inline prog.c table.c -o prog
END
sed -i 's/^build: .*/build: sh build.sh/' perfevo.yml
save 'build by a script'
probe_thrice
save 'probe thrice'
perfevo track -q --last 2 --no-open >/dev/null 2>&1
cp .git/perfevo/report.html ../before.html
touch ../hold
begins ../held perfevo report
ctrl_c "$tool"
ctrl_c "$tool"
ended 128
grep stopped ../err
cmp ../before.html .git/perfevo/report.html
ls .git/perfevo
rm ../hold
perfevo report -q 2>/dev/null
page_block .git/perfevo/report.html index >../index
sqlite3 :memory: "SELECT json_array_length(readfile('../index'), '\$.comparisons')"
