# For programs: the same with ids, lines on both sides and likeness.
empty_repo
cat >"a \"quoted\" name.cc" <<'END'
namespace shapes {
struct box {
	int area(int w) { return w * w; }
	int area(int w, int h) { return w * h; }
};
}
END
save 'root "of all"'
sed -i 's/w \* h/h * w/' ./*.cc
save two
perfevo changes --format json
echo '# every commit'
perfevo changes --each --format json
echo '# the same from what is kept'
perfevo changes --each --format json -q >again
perfevo changes --each --format json --store none.db -q | cmp - again && echo equal
echo '# counts without the list'
perfevo changes --each --format json -s
