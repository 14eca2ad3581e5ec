# track finds out what the commits changed that it was asked for; log, show and export carry it.
empty_repo
score_config '"true"' 2
echo 'echo score 1' >prog.sh
printf 'int f(void)\n{\n\treturn 1;\n}\n\nint g(void)\n{\n\treturn 2;\n}\n' >a.c
save root
sed -i 's/return 1/return 3/' a.c
save 'change f'
echo text >README
save 'no source file'
perfevo track -q --no-open --last 2 >/dev/null
echo '# known of what was asked for, and of nothing else'
sqlite3 .git/perfevo/perfevo.db \
	'SELECT subject, changed_methods FROM compared c JOIN revisions r ON r.id = c.revision ORDER BY subject'
echo '# log'
perfevo log --metric score
echo '# show'
perfevo show HEAD~1 | sed -n '/^kind/,$p'
echo '# JSON'
perfevo export --format json | grep -o '"subject":"[^"]*".*"changed_methods":[^,}]*'
perfevo log --no-graph --format json | grep -o '"changed_methods":[^,}]*'
echo '# the rest at the next track'
perfevo track -q --no-open >/dev/null
perfevo export --format json | grep -o '"subject":"[^"]*".*"changed_methods":[^,}]*'
echo '# without the config that left files out, nothing is known'
sed -i '$a paths: {exclude: a.c}' perfevo.yml
perfevo log --metric score | head -2
