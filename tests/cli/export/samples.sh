# Every value, one by one, as CSV and as JSON; to a file as to standard output.
measured_repo
perfevo export --samples >samples.csv
head -1 samples.csv
echo "# three runs of five commits"
grep -c ',score,[0-9a-f]*,score,points,' samples.csv
cut -d, -f1,3,5,10 samples.csv | grep ',score,score,' | sort | uniq -c
perfevo export --samples -o copy.csv
cmp samples.csv copy.csv
perfevo export --samples --format json -o samples.json
ls -- *.json* *.csv*
python3 - <<'END' 2>/dev/null || grep -c '"metric":"score"' samples.json
import json
print(sum(row["metric"] == "score" for row in json.load(open("samples.json"))))
END
perfevo export --samples HEAD~1..HEAD || echo "status $?"
perfevo export --samples -o nowhere/file || echo "status $?"
