# The first-parent line is measured, a merge among them; --all-parents takes the branch too.

new_repo
history 2
git checkout -q -b side
echo s >side
save s1
save s2
git checkout -q main
echo 3 >level
save c3
clock=$((clock + 60))
GIT_AUTHOR_DATE="$clock +0000" GIT_COMMITTER_DATE="$clock +0000" git merge -q --no-ff -m m4 side
plain_config

track 0 --last 10
same "first parents" 'c1 c2 c3 m4 ' "$(measured)"
same "first parent of the merge" c3 "$(db "SELECT v.subject FROM parents p JOIN revisions m ON m.key = p.revision
	JOIN revisions v ON v.id = p.id WHERE m.subject = 'm4' AND p.position = 0")"
# Each side of the merge is a batch with anchors of its own.
unplanned=1
track 0 --last 10 --all-parents
unplanned=
same "all parents" 'c1 c2 c3 m4 s1 s2 ' "$(measured)"
