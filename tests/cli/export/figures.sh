measured_repo
perfevo export --metric score | cut -d, -f1-15
perfevo export --metric score -o figures.csv
perfevo export --metric score | cmp - figures.csv
perfevo export --metric score --format json -o figures.json
echo "# as JSON: revisions, and points of the one line"
grep -o '"id":"[0-9a-f]*"' figures.json | sort -u | wc -l
grep -o '"median":[0-9]*' figures.json | tr '\n' ' '
