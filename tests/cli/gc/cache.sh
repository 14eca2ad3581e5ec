measured_repo
find "$HOME/cache" -name prog.sh | grep -q . || echo "no builds were kept"
perfevo gc --cache -n | sed 's/of [0-9.]* [kKMi]*B/of SIZE/; s|cache/perfevo/[0-9a-f]*|cache/perfevo/ID|'
find "$HOME/cache" -name prog.sh | grep -q . || echo "a dry run removed the builds"
perfevo gc -q --cache
find "$HOME/cache" -name prog.sh
echo "# what is gone is built again"
perfevo track --quiet --no-open --again >/dev/null
find "$HOME/cache" -name prog.sh | grep -q . || echo "no builds were kept"
echo "# not below one who measures"
exec 9>"$HOME/cache/perfevo/measure.lock"
flock 9
perfevo gc --cache || echo "status $?"
