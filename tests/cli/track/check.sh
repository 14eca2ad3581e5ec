# check shows a benchmark's own metrics beside its wall time, and says what to do next.

new_repo
history 1
plain_config
cat >>perfevo.yml <<'END'
    metrics:
      level: {regex: 'level ([0-9]+)', unit: points}
END
ends 0 perfevo check --quiet
has "the metric" "$case_dir/out" '    level: 1 points, noise 0.0 %, detects changes from about 0.5 %'
has "what comes next" "$case_dir/out" "next      'perfevo track --dry-run' prints what measuring the last 20 commits takes"
ends 0 perfevo check --quiet --format json
has "the metric as JSON" "$case_dir/out" '"metrics":[{"name":"level","unit":"points","runs":10,"median":1,"noise":0,"visible_step":0.005}]'
echo 'exit 3' >build.sh
save broken
ends 125 perfevo check --quiet
has "what to correct" "$case_dir/out" "next      correct 'build:' in the config; 'perfevo shell $(git rev-parse --short=10 HEAD)' starts a shell in"
