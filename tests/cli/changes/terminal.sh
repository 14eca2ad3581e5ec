# On a terminal: coloured, and not wider than it.
empty_repo
mkdir -p a/folder/with/a/rather/long/name
printf 'int a_function_with_a_name_that_goes_on(void)\n{\n\treturn 1;\n}\nint g(void)\n{\n\treturn 2;\n}\n' \
	>a/folder/with/a/rather/long/name/source.c
save root
cd a/folder/with/a/rather/long/name
sed -i 's/return 1/return 3/; /^int g/,$d' source.c
save modify
export TERM=xterm
as_terminal 'perfevo changes --no-pager' | sed 's/\x1b/ESC/g'
printf 'widest: '
as_terminal 'perfevo changes --no-pager' | sed 's/\x1b\[[0-9;]*m//g' | wc -L
echo '# plain'
NO_COLOR=1 LC_ALL=C as_terminal 'perfevo changes --no-pager -s'
