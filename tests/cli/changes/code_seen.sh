# What a benchmark's script starts is known from its runs, libraries of the tree belong to it, and C++ has names.
command -v c++ >/dev/null || exit 77
empty_repo
cat >perfevo.yml <<'END'
build:
  - c++ -g -O2 -fPIC -shared shapes.cc -o libshapes.so
  - c++ -g -O2 main.cc -L. -lshapes -Wl,-rpath,'$ORIGIN' -o prog
  - c++ -g -O2 main.cc -L. -lshapes -Wl,-rpath,'$ORIGIN' -o other
benchmarks:
  script: {command: [./run.sh], warmup: 0, repeats: 3}
  other: {command: [./other], warmup: 0, repeats: 3}
END
cat >shapes.h <<'END'
namespace shapes {
constexpr int depth = 3;
struct box {
	int w, h;
	__attribute__((noinline)) int area(int by) const;
	__attribute__((noinline)) int area(long by) const;
	inline __attribute__((always_inline)) int half() const { return w / 2; }
	__attribute__((noinline)) int round() const;
};
template <typename T> __attribute__((noinline)) T twice(T x) { return x + x; }
}
END
cat >shapes.cc <<'END'
#include "shapes.h"

int shapes::box::area(int by) const
{
	return w * h * by;
}

int shapes::box::area(long by) const
{
	return w + (int)by;
}

int shapes::box::round() const
{
	return half() * 7 + twice(w) + (int)twice((long)h);
}
END
cat >main.cc <<'END'
#include "shapes.h"
#include <cstdio>

int main(int argc, char **)
{
	shapes::box b = {argc, 2};

	return std::printf("%d %d %d\n", b.area(2), b.area(2L), b.round()) < 0;
}
END
printf '#!/bin/sh\nexec ./prog\n' >run.sh
chmod +x run.sh
save first
status=0
perfevo changes --code -q -b script HEAD.. 2>message || status=$?
cat message
echo "status $status"
rm message
perfevo track -q --no-open -b script >/dev/null

# changed SUBJECT FILE SED: commit an edit and cross it, as seen by the script's benchmark
changed()
{
	sed -i "$3" "$2"
	save "$1"
	perfevo changes --code -q -b script | sed '1s/^[0-9a-f]* /# /; $s/of [0-9]* functions/of N functions/'
}

changed 'one of two overloads' shapes.cc 's/w + (int)by/w - (int)by/'
changed 'inlined from a header' shapes.h 's|w / 2|w / 3|'
changed 'two instances' shapes.h 's/x + x/x + x + 1/'
changed 'a script' run.sh 's/exec //'
perfevo changes --code -q --format json | grep -o '"identical":[a-z]*\|"programs":[^]]*]'
echo '# both benchmarks: the library counts once'
perfevo changes --code -q HEAD~3.. --format json | grep -o '"programs":[^]]*]\|"recompiled":[0-9]*'
