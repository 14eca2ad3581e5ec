# P1: what a build puts in place of perfevo's own folders and files leads nowhere. The second commit replaces its tree by a
# link to a folder of the user's, and plants links and FIFOs where perfevo keeps its log, its notes and its scratch files;
# the third is put into the same slot.

mkdir -p precious/keep
echo precious >precious/keep/letter
for name in log state manifest stdout stderr; do echo mine >"precious/$name"; done
precious=$PWD/precious
find "$precious" -type f -exec cat {} + >before

empty_repo
cat >perfevo.yml <<'END'
build: {steps: [sh build.sh], clean: always, parallel: 1}
benchmarks:
  prog:
    command: sh prog.sh
    warmup: 0
    repeats: 2
    allocations: false
    metrics:
      figure: {unit: points, better: lower, regex: 'figure ([0-9]+)'}
END
echo 'echo figure 1' >prog.sh
echo 'exit 0' >build.sh
save good
cat >build.sh <<END
cd ..
cache=\$(cd ../.. && pwd)
rm -rf tree
ln -s "$precious" tree
for name in log state manifest; do
	rm -f "build.\$name" "\$name" "tree.\$name"
	ln -s "$precious/\$name" "build.\$name"
	ln -s "$precious/\$name" "\$name"
	ln -s "$precious/\$name" "tree.\$name"
done
rm -rf "\$cache/scratch"
mkdir "\$cache/scratch"
ln -s "$precious/stdout" "\$cache/scratch/stdout"
ln -s "$precious/stderr" "\$cache/scratch/stderr"
exit \${STATUS:-1}
END
save swapped
echo 'exit 0' >build.sh
echo 'echo figure 2' >prog.sh
save 'good again'
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track: $? $(cat ../messages)"
find "$precious" -type f -exec cat {} + | cmp -s - ../before || fail "something of the user's was touched: $(find "$precious")"
same 'what was measured' '2' "$(perfevo log --format csv | grep -c ',figure,.*measured\|,prog,figure,' || true)"

# A build that succeeds with its tree swapped is no build: nothing of the user's is run in its place.
sed -i 's/^exit .*/exit 0/' build.sh
git show HEAD~1:build.sh | sed 's/^exit .*/exit 0/' >build.sh
save 'swapped, and content with it'
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track: $?"
find "$precious" -type f -exec cat {} + | cmp -s - ../before || fail "something of the user's was touched: $(find "$precious")"
perfevo show HEAD >../shown
has 'the reason' ../shown 'replaced its own folder'
timeout 600 perfevo gc --cache >../out
find "$precious" -type f -exec cat {} + | cmp -s - ../before || fail "gc touched something of the user's"
