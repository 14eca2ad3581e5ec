# Two measured branches of an exact metric, for the cases of `site` and for tests/browser/test_site.mjs.

# figure N SUBJECT: a commit whose benchmark prints N
figure()
{
	echo "echo score $1" >prog.sh
	save "$2"
}

hostile='w/é&<b>"ñ'

# branches_repo: on main the score doubles at the third commit; a branch whose name has a slash, markup and no ASCII halves it, by
# a commit whose subject has markup
branches_repo()
{
	empty_repo
	score_config '"true"' 2 '' none
	scored score 'sh prog.sh' deterministic
	figure 100 one
	figure 100 two
	figure 200 'double the score'
	figure 200 four
	perfevo track --quiet --no-open >/dev/null
	git switch -qc "$hostile" main
	figure 100 '</title><script>alert(1)</script> & ]]>'
	perfevo track --quiet --no-open >/dev/null
	git switch -q main
}
