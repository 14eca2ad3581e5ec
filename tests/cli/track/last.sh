# --last N measures the newest N, each as often as asked; a second time nothing is left; --last beyond the
# root takes what there is.

new_repo
history 7
plain_config

track 0 --last 5
same "runs" 'c3|prog|timed|measured|3
c4|prog|timed|measured|3
c5|prog|timed|measured|3
c6|prog|timed|measured|3
c7|prog|timed|measured|3' "$(counts)"
same "one window" 1 "$(db 'SELECT count(*) FROM batches')"
same "open windows" 0 "$(db 'SELECT count(*) FROM batches WHERE is_open')"
same "builds" 5 "$(db 'SELECT count(*) FROM builds WHERE outcome = 0')"
same "machines" 1 "$(db 'SELECT count(*) FROM machines')"
store_is_whole

# Rounds go over all revisions: between two runs of one revision every other one has its turn.
same "runs of a round that stand among those of another" 0 "$(db '
	SELECT count(*) FROM runs a JOIN runs b ON a.round < b.round AND a.sequence > b.sequence')"

before=$(db 'SELECT count(*) FROM runs')
track 0 --last 5
same "runs after measuring again" "$before" "$(db 'SELECT count(*) FROM runs')"

track 0 --last 100
same "revisions" 'c1 c2 c3 c4 c5 c6 c7 ' "$(measured)"
same "runs of the new ones" 6 "$(db "SELECT count(*) FROM runs r JOIN revisions v ON v.key = r.revision
	WHERE v.subject IN ('c1', 'c2')")"
same "runs of a new one in rounds with anchors" 1 "$(db "SELECT count(*) > 0 FROM batch_cells WHERE role = 1")"
store_is_whole
track 129 --last 0
has "no commit" "$case_dir/err" "a number from 1 on, not '0'"
