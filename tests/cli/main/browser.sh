# The report is opened on a terminal of a desktop; elsewhere its path is printed.
mkdir bin
cat >bin/xdg-open <<END
#!/bin/sh
echo "opened \$1" >>"$PWD/opened.part"
mv "$PWD/opened.part" "$PWD/opened"
END
chmod +x bin/xdg-open
PATH=$PWD/bin:$PATH
top=$PWD
measured_repo
say()
{
	tr '\r' '\n' | grep -aoE '(report:|opened) .*'
}
echo "# not a terminal, on a desktop"
DISPLAY=:0 perfevo track --last 2 2>&1 | say
echo "# a terminal, no desktop"
as_terminal 'perfevo track --last 2' | say
echo "# a terminal that is not to open anything"
as_terminal 'DISPLAY=:0 perfevo track --last 2 --no-open' | say
test ! -e "$top/opened"
echo "# a terminal on a desktop"
as_terminal 'WAYLAND_DISPLAY=wayland-0 perfevo track --last 2' | say
wait_for 'the browser' test -e "$top/opened"
cat "$top/opened"
