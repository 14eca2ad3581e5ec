# A build that hides the environment from its compiler: that is seen in the programs, and the message says what
# to write; with it the counts are there.
needs gcc
empty_repo
sources
echo 'env -i PATH="$PATH" gcc -O2 $1 prog.c work.c -o prog' >build.sh
echo '{build: sh build.sh, benchmarks: {prog: [./prog]}}' >perfevo.yml
save first
code=0
perfevo profile --quiet --mode counting >out 2>&1 || code=$?
sed "s/[0-9a-f]\{10\}/@ID@/" out
perfevo profile --mode counting 2>&1 | grep -v 'builds\{0,1\} done' | sed "s/^perfevo: [0-9a-f]\{10\} /perfevo: @ID@ /; s/of its [0-9]* functions/of its N functions/"
echo "status $code"
cat >perfevo.yml <<'END'
build: sh build.sh
profile:
  build: sh build.sh '-g -finstrument-functions'
benchmarks: {prog: [./prog]}
END
calls

# Where nobody insists on counts, there are samples, and it is said why.
cat >spin.c <<'END'
static volatile unsigned long sum;

int main(void)
{
	for (unsigned long i = 0; i < 100000000; i++)
		sum += i;
	return 0;
}
END
echo 'env -i PATH="$PATH" gcc -O2 -g spin.c -o spin' >build.sh
echo '{build: sh build.sh, benchmarks: {spin: [./spin]}}' >perfevo.yml
save spin
perfevo profile >out 2>err || cat out err
has 'samples in place of counts' err "'spin' is profiled by samples alone: the functions of its programs have no hooks; "
has 'what they say' out main
