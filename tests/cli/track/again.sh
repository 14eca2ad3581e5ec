# --again measures what is measured already: runs are added, none is replaced.

new_repo
history 3
plain_config

track 0 --last 2
first=$(db 'SELECT key, batch, round FROM runs ORDER BY key')
track 0 --last 2 --again
same "runs" 'c2|prog|timed|measured|6
c3|prog|timed|measured|6' "$(counts)"
same "the first runs" "$first" "$(db "SELECT key, batch, round FROM runs
	WHERE batch = (SELECT min(key) FROM batches) ORDER BY key")"
same "windows" 2 "$(db 'SELECT count(*) FROM batches')"
