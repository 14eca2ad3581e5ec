# P2: numbers that nobody measured: values, times, thresholds and counts that cannot be.

measured_repo
open_hub
genuine '"batch":{' | elsewhere >../honest
n=0
# lie SED: the honest document with one thing that cannot be
lie()
{
	n=$((n + 1))
	sed "$1" ../honest >"../lie$n"
	! cmp -s ../honest "../lie$n" || fail "nothing was forged by $1"
	forge "../lie$n"
}
# A10
run='s/^\(\[[0-9]*,[0-9]*,0,0,[0-9]*,[0-9]*,"measured",0,null,\[0,\)[^,]*'
wall='s/^\(\[[0-9]*,[0-9]*,0,0,[0-9]*,[0-9]*,"measured",0,null,\[0,[^,]*,1,\)[^,]*'
lie "$wall/\10/"
lie "$run/\15e-324/"
lie "$run/\11.7e308/"
lie "$wall/\1-1/"
start='s/^\(\[[0-9]*,[0-9]*,0,0,[0-9]*,\)[0-9]*\(,"measured"\)'
lie "$start/\14611686018427387904\2/"
lie "$start/\1-4611686018427387904\2/"
lie "$start/\10\2/"
lie "$start/\1$(($(date +%s) + 200000))\2/"
lie 's/"created":[0-9]*/"created":9000000000/'
# A12
lie 's/"cores":[0-9]*/"cores":99999999999/'
lie 's/"seed":"[0-9a-f]*"/"seed":"zz"/'
lie 's/^\(\[[0-9]*,[0-9]*,0,\)0\(,[0-9]*,[0-9]*,"measured"\)/\1999999999\2/'
lie "$run/\11e999/"
lie 's/"cells":\[$/"cells":[\n[0,0,9,1,0],/'
refused_once "$n"
