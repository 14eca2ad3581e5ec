# A change that edits what it is judged by: with --config-from base its own thresholds, commands and accepted changes
# do not count, and the answer says so.
topic_repo
figures 120
save slower
sed -i 's/better: lower/better: higher/; s/sh prog.sh/echo score 1/' perfevo.yml
perfevo accept score --rev HEAD --why 'because I say so' >/dev/null
save 'judged by myself'
echo "# what is checked out"
ci | sed -n '3,4p;$p'
echo "# the base's"
ci --config-from base | sed "s/^head  [0-9a-f]*/head  COMMIT/"
ci --config-from base --format md | grep 'the change edits'
ci --config-from base --format json | grep -o '"config_note":"[^"]*"'
echo "# another revision's, one that is not there, one without a config"
ci --config-from HEAD | tail -n 1
ci --config-from nowhere 2>&1
git rm -q perfevo.yml perfevo-accepted.yml
save 'no config'
ci --config-from HEAD 2>&1 | sed 's/[0-9a-f]\{10\}/COMMIT/'
echo "# deleted by the change"
ci --config-from base | sed -n 3p
ci --config-from base --config perfevo.yml 2>&1 | head -n 1
