measured_repo
echo "# newest first, with the change against the commit before"
perfevo log --metric score
echo "# the newest two keep their differences"
perfevo log --metric score -n 2
echo "# a range"
perfevo log --metric score HEAD~4..HEAD~2
echo "# a benchmark that is not there"
perfevo log -b '^none$' || echo "status $?"
echo "# a range without commits"
perfevo log HEAD..HEAD || echo "status $?"
echo "# no range"
perfevo log nowhere || echo "status $?"
echo "# metrics that are none"
perfevo log --metric scroe || echo "status $?"
perfevo track --metric wal || echo "status $?"
perfevo report --metric wal || echo "status $?"
echo "# one that is not judged is marked, which is explained; not for programs, and not where less is to be said"
perfevo log --metric score --metric max-rss -n 2 | grep -o 'score  change\|peak memory\*\|\* not .*'
perfevo log --metric max-rss --quiet | grep '\* not' || echo 'not explained'
perfevo log --metric max-rss --format csv | grep -F '*' || echo 'not marked'
