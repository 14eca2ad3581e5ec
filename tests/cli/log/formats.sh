# The same for programs; --number leaves the newest.
measured_repo
perfevo log --metric score --format csv -n 3 | cut -d, -f1-15
perfevo log --metric score --format json -n 3 >log.json
grep -o '"median":[0-9]*' log.json | tr '\n' ' '
