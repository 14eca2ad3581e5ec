# Killed again and again while it makes the counting runs that a noisy count takes, `track` ends with all of them.
. "$CASE_DIR/../confirm/lib.sh"
threads_repo
sed -i "s/who = .*/who = 15u >> n % 5;/" main.c # no two runs after each other count the same
for i in 1 2 3; do level 1 "c$i"; done
# Every fifth run of the program ends perfevo.
sed -i 's|command: ./prog|command: sh ./run.sh|' perfevo.yml
cat >run.sh <<END
./prog || exit 1
read -r n <"$runs"
[ \$((n % 5)) != 0 ] || [ -e "$case_dir/enough" ] || kill -9 "\$(cat "$case_dir/pid")"
END
save runner
times=0
while [ "$times" -lt 20 ]; do
	times=$((times + 1))
	perfevo track --no-confirm --quiet --last 3 >"$case_dir/out" 2>&1 &
	echo $! >"$case_dir/pid"
	! wait $! || break
done
echo x >"$case_dir/enough"
same "no run was lost" '8|8' "$(db "SELECT DISTINCT count(*), count(DISTINCT round) FROM runs WHERE kind = 1 AND outcome = 0 GROUP BY revision")"
before=$(cat "$runs")
track 0 --last 3
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
store_is_whole
