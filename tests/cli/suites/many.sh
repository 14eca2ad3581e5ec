# Of many benchmarks compare explains those that changed most: a profile of each takes seconds. The others say how.
suite_repo
numbers='01 02 03 04 05 06 07 08 09 10 11 12'
{ for n in $numbers; do echo "BM_$n 1000"; done; echo 'BM_same 1000'; } >figures
save 'all alike'
{ for n in $numbers; do echo "BM_$n 2${n}0"; done; echo 'BM_same 1000'; } >figures
save 'the later the worse'
perfevo compare HEAD~ HEAD --format json >out.json || same "nothing of a shell script can be profiled" 125 $?
python3 - <<'END'
import json
problems = {b["name"]: b["problem"] for b in json.load(open("out.json"))["benchmarks"]}
assert len(problems) == 13, problems
for name in ("micro/BM_01", "micro/BM_02"):
    assert problems[name] == f"not explained, because 10 benchmarks changed more: add -b {name} for this one", problems
assert problems["micro/BM_same"] is None, problems
for n in range(3, 13):
    assert "not explained, because" not in problems[f"micro/BM_{n:02}"], problems
END
perfevo compare HEAD~ HEAD -b micro/BM_01 >out || same "likewise" 125 $?
has_not 'one of them' out 'changed more'
