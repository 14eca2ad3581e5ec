# No change, an improvement, nothing to compare: all of them pass.
topic_repo
ci
echo note >note
save 'a note'
ci
figures 80
save faster
ci
echo "# another revision"
ci HEAD~1
