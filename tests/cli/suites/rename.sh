# renamed: a benchmark that has another name from a commit on has one history, also when each name had one before.
suite_repo
figures 'BM_A 100' 'BM_Slow 300'
figures 'BM_A 100' 'BM_Slow 300'
figures 'BM_A 100' 'BM_Fast 200'
figures 'BM_A 100' 'BM_Fast 200'
perfevo track --quiet --no-open --no-confirm >/dev/null
perfevo log -b micro/BM_Slow --format=csv >slow.csv
same 'commits under the old name' 2 "$(grep -c ',wall,' slow.csv)"

cat >>perfevo.yml <<'EOF'
    renamed: {BM_Slow: BM_Fast}
EOF
sed -i 's/{command: .*/\n    command: .\/bench\n    repeats: 3/' perfevo.yml
perfevo track --quiet --no-open --no-confirm >/dev/null
perfevo log -b micro/ --format=csv >all.csv
same 'commits under the new name' 4 "$(grep -c 'micro/BM_Fast,wall,' all.csv)"
has_not 'the old name' all.csv 'micro/BM_Slow'
# Three of the first time, and three beside the newer commits, which tie the batches together.
same 'earlier runs' 2 "$(grep -c 'micro/BM_Fast,wall,ns,measured,6,300.15' all.csv)"
perfevo log >log
has 'the step between the names' log '33.3 %'
