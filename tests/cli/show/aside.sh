# A commit beside HEAD's line is shown with its own ancestors.
measured_repo
git switch -q -c aside HEAD~3
echo 'echo score 50' >prog.sh
save 'score 50'
perfevo track -q --no-open --last 1 >/dev/null
git switch -q main
perfevo show aside | grep points
