# A full disk or an end by the kernel is no fact about a commit: inconclusive, tried again by the next two tracks, and a gate
# answers 125 meanwhile. P3, P9.

empty_repo
score_config 'sh build.sh' 2 'sandbox: off' none
scored score 'sh prog.sh' deterministic
cat >build.sh <<END
[ ! -e "$PWD/../full" ] || { echo 'cc: error writing a.out: No space left on device'; exit 1; }
[ ! -e "$PWD/../broken" ] || exit 3
END
cat >prog.sh <<END
[ ! -e "$PWD/../little" ] || kill -KILL \$\$
echo score 1
END
save one
save two

# tracked STATUS: track with the gate
tracked()
{
	status=0
	perfevo track --no-open --no-confirm --last 2 --fail-on-regression >../out 2>&1 || status=$?
	same "status of track ($(cat ../out))" "$1" "$status"
}

asked()
{
	sqlite3 .git/perfevo/perfevo.db "$1"
}

: >../full
tracked 125
has 'what is said' ../out 'inconclusive'
same 'builds' 'inconclusive|2' "$(asked 'SELECT o.name, count(*) FROM builds b JOIN outcomes o ON o.key = b.outcome GROUP BY 1')"
perfevo show HEAD >../out
has 'show' ../out 'its output says that a disk is full'
rm ../full
tracked 0
same 'runs once there is room' 4 "$(asked 'SELECT count(*) FROM runs WHERE outcome = 0')"

# The same of runs.
save three
: >../little
tracked 125
has 'a killed run' ../out 'inconclusive'
rm ../little
tracked 0
same 'runs once there is memory' 2 "$(asked "SELECT count(*) FROM runs r JOIN revisions v ON v.key = r.revision
	WHERE v.subject = 'three' AND r.outcome = 0")"

# Twice again and no more; what fails by itself is not tried again.
save four
: >../full
for _ in 1 2 3 4 5; do tracked 125; done
same 'builds of a disk that stays full' 3 "$(asked "SELECT count(*) FROM builds b JOIN revisions v ON v.key = b.revision WHERE v.subject = 'four'")"
rm ../full
save five
: >../broken
for _ in 1 2 3; do tracked 125; done
same 'builds of what is broken' 1 "$(asked "SELECT count(*) FROM builds b JOIN revisions v ON v.key = b.revision WHERE v.subject = 'five'")"
