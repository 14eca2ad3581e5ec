# Where there is nothing to cross, a sentence says why.
command -v cc >/dev/null || exit 77

# refused ARGUMENTS...
refused()
{
	status=0
	perfevo changes -q "$@" 2>message || status=$?
	sed 's/[0-9a-f]\{10\} /@ID@ /' message
	echo "status $status"
}

empty_repo
echo message >>.git/info/exclude
printf '#include <stdio.h>\nint main(void)\n{\n\treturn puts("1") < 0;\n}\n' >main.c
printf '#!/bin/sh\n./prog\n' >run.sh
chmod +x run.sh
save first
echo '# no config'
refused --code HEAD
perfevo_yml 'cc -g -O2 main.c -o prog' \
	'script: {command: [./run.sh], allocations: false}' \
	'prog: {command: [./prog], allocations: false}'
save config
echo '# the first commit'
refused --code HEAD~1
echo '# a script'
refused --code -b script
echo '# no such benchmark'
refused --code -b nothing
sed -i 's/puts/puts(/' main.c
save broken
echo '# it does not build'
refused --code
echo '# options that do not go together'
refused --code --each
refused -b prog
refused -k indirect
