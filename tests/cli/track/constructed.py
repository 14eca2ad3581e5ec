"""
Constructed events: a store with jumps whose commit, size, state and class are known beforehand (`fill`), and what every
output says of them (`check`): each jump once, with the same class and the same numbers.

    constructed.py history       commits for git fast-import
    constructed.py fill STORE    replaces what STORE has by the table's values
    constructed.py check FOLDER  reads the outputs that constructed.sh left there
"""
import base64
import csv
import glob
import json
import math
import re
import sqlite3
import subprocess
import sys
import zlib

# An event a row: jumps as benchmark (a to f), metric (w wall time, r peak memory, p peak of live allocations, i simulated
# instructions, n allocations), sign and percent; ? suspected, u undecided, ! accepted, l layout. M: of a merge.
EVENTS = """
aw+11 | aw-10 | aw+4 ap-34 ai+18 | aw-58 ai+9 | aw+30 ai-35 | ai+1 | an+12 | ap-20 | ar+25 | ai-2 an-10
aw+6 bw-7 | aw-5 bw+8 ci+3 | bw+12? | bw-11? | bw+12u | aw+5 bw+5? | aw+9l | aw-8l bi+1 | aw-9! | ai+4! | aw+7! bi-4
aw+4 bw+4 cw+4 dw+4 ew+4 fw+4 | aw-4 bw-4 cw-4 dw-4 ew-4 fw-4 | ai+1 bi+2 ci+3 di+4 ei+5 fi+6 | fn-25
aw+5 ar+20 ap+20 ai+20 an+20 | aw-5 ar-17 ap-17 ai-17 an-17 | M aw+6 | M ai+5 | M bw-7 ci-5
cw+300 | cw-75 | ci+1500 | ci-94 | dn+1? | er+30? dw-6 | ew+6? fw-8? | ep+7 ei-7 | fi+0.2 | bw+3 ai-0.5 | ar-20 ai+2 bw-4
"""
METRICS = {"w": "wall", "r": "max-rss", "p": "allocated-peak", "i": "simulated-instructions", "n": "allocations"}
LEVELS = {"w": 40e6, "r": 30 << 20, "p": 5 << 20, "i": 1e8, "n": 20000}
BENCHMARKS = dict(zip("abcdef", ["parse", "print", "table/insert", "table/find", "sort", "a name of thirty-six characters here"]))
NOISY, GAP, TIMED, COUNTED, PAIRS, SESSION = "wr", 3, 5, 2, 12, 24


class Jump:
    def __init__(self, word):
        self.benchmark, self.metric, flag = BENCHMARKS[word[0]], METRICS[word[1]], word[-1]
        self.letters = word[:2]
        self.flag = flag if not flag.isdigit() else ""
        self.size = float(word[2:].rstrip("?u!l")) / 100
        self.noisy = word[1] in NOISY
        self.state = {"": "confirmed", "l": "confirmed", "!": "accepted"}.get(self.flag, "suspect")
        if not self.noisy and self.flag == "?":
            self.flag, self.state = "", "confirmed"  # what is exact needs no confirmation


EVENTS = [(row.split()[0] == "M", [Jump(word) for word in row.split() if word != "M"]) for row in re.split(r"[|\n]", EVENTS.strip())]
N = GAP * (len(EVENTS) + 1)


def commit_of(event):
    return GAP * (event + 1)


def subject_of(commit):
    return f"event {commit // GAP - 1}" if commit % GAP == 0 and commit > 0 else f"quiet {commit}"


def history():
    mark = 0
    for commit in range(N):
        merge = commit % GAP == 0 and commit > 0 and EVENTS[commit // GAP - 1][0]
        for side in ([True, False] if merge else [False]):
            mark += 1
            text = subject_of(commit) if not side else "side"
            when = 1704067200 + 60 * mark
            print(f"commit refs/heads/main\nmark :{mark}\nauthor A <a@example.org> {when} +0000")
            print(f"committer A <a@example.org> {when} +0000\ndata {len(text)}\n{text}")
            if mark > 1:
                print(f"from :{mark - (2 if merge and not side else 1)}")
            if merge and not side:
                print(f"merge :{mark - 1}")
            body = f"{commit}{' side' if side else ''}\n"
            print(f"M 644 inline file\ndata {len(body)}\n{body}")
            if mark == 1:
                config = "build: 'true'\nbenchmarks:\n" + "".join(
                    f"  {json.dumps(name)}: {{command: 'true', repeats: {TIMED}, warmup: 0}}\n" for name in BENCHMARKS.values())
                print(f"M 644 inline perfevo.yml\ndata {len(config)}\n{config}")


# A spread of some tenths of a percent that is no pattern.
def noise(*place):
    state = 88172645463325252
    for number in place:
        state = (state ^ (number + 1)) * 6364136223846793005 % 2**64
        state ^= state >> 29
    return ((state >> 11) / 2**53 - 0.5) * 0.006


def fill(path):
    store = sqlite3.connect(path)
    ask = lambda query, *args: store.execute(query, args).fetchone()
    for table in ("jumps", "reused", "executions", "run_functions", "samples", "runs", "batch_cells", "batches", "confirmations"):
        store.execute(f"DELETE FROM {table}")
    ids = subprocess.run(["git", "log", "--first-parent", "--reverse", "--format=%H %ct %s"], capture_output=True, text=True, check=True)
    ids = [line.split(" ", 2) for line in ids.stdout.splitlines()]
    assert len(ids) == N
    revisions = []
    for k, (commit, when, subject) in enumerate(ids):
        store.execute("INSERT OR IGNORE INTO revisions (id, time_s, author, subject) VALUES (?, ?, 'A', ?)", (commit, when, subject))
        revisions.append(ask("SELECT key FROM revisions WHERE id = ?", commit)[0])
        if k > 0:
            store.execute("INSERT OR IGNORE INTO parents VALUES (?, 0, ?)", (revisions[k], ids[k - 1][0]))
        if ask("SELECT count(*) FROM builds WHERE revision = ?", revisions[k])[0] == 0:
            store.execute("INSERT INTO builds (revision, machine, recipe, outcome, status, started_s, duration_ns)"
                          " SELECT ?, machine, recipe, outcome, status, started_s, duration_ns FROM builds LIMIT 1", (revisions[k],))
    machine = ask("SELECT key FROM machines")[0]
    store.execute("INSERT OR IGNORE INTO metrics (benchmark, name, unit, label, better, kind, min_relative, min_absolute)"
                  " VALUES ('', 'simulated-instructions', '1', 'simulated instructions', 0, 1, 0.001, 2)")
    metrics = {letter: ask("SELECT key FROM metrics WHERE name = ?", name)[0] for letter, name in METRICS.items()}
    benchmarks = {letter: ask("SELECT key FROM benchmarks WHERE name = ?", name)[0] for letter, name in BENCHMARKS.items()}
    runs = dict.fromkeys(benchmarks, 0)

    def batch(cells, rounds, aside):
        key = store.execute("INSERT INTO batches (machine, created_s, seed, is_open, env_bytes, cpu, nice, fixed_layout, aside)"
                            " VALUES (?, 1704067200, 1, 0, 4096, -1, 0, 0, ?)", (machine, aside)).lastrowid
        for position, (revision, letter, role) in enumerate(cells):
            store.execute("INSERT INTO batch_cells VALUES (?, ?, ?, ?, ?, ?, 0)",
                          (key, revision, benchmarks[letter], position, role, rounds))
        return key

    def run(key, revision, letter, kind, number, values):
        runs[letter] += 1
        run = benchmarks[letter] * 2**32 + runs[letter]
        store.execute("INSERT INTO runs (key, batch, revision, benchmark, kind, round, sequence, started_s, outcome, status, epoch)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?, 1704067200, 0, 0, ?)",
                      (run, key, revision, benchmarks[letter], kind, number, runs[letter], 1 if kind else None))
        for metric, value in values.items():
            store.execute("INSERT INTO samples VALUES (?, ?, ?)", (run, metrics[metric], value))

    for letter in benchmarks:
        for metric in metrics.values():
            store.execute("INSERT OR IGNORE INTO series VALUES (?, ?, ?)", (machine, benchmarks[letter], metric))
    levels = {b + m: LEVELS[m] * (1 + 0.37 * k) for k, b in enumerate(benchmarks) for m in METRICS}
    accepted, number = [], 0
    cut = commit_of(SESSION) + 1
    sessions = [batch([(r, b, 0) for r in part for b in benchmarks], TIMED, 0) for part in (revisions[:cut], revisions[cut:])]
    for commit in range(N):
        event = commit // GAP - 1
        for jump in EVENTS[event][1] if commit % GAP == 0 and event >= 0 else []:
            old = levels[jump.letters]
            new = old * (1 + jump.size) if jump.noisy else float(round(old * (1 + jump.size)))
            levels[jump.letters] = new
            if jump.flag == "!":
                accepted.append(f"- benchmark: {json.dumps(jump.benchmark)}\n  revision: {ids[commit][0]}\n  metric: {jump.metric}\n  why: wanted\n")
            if not jump.noisy or jump.flag == "?":
                continue
            # Fresh pairs see a little less than the series, on another level.
            found = 0.9 * jump.size if jump.size < 1 else jump.size
            sides = [(revisions[commit - 1], jump.letters[0], 2), (revisions[commit], jump.letters[0], 3)]
            pairs = batch(sides, PAIRS, 1)
            for k in range(PAIRS):
                for side, (revision, letter, _) in enumerate(sides):
                    value = 1.1 * old * (1 + found * side) * (1 + noise(commit, k, side))
                    run(pairs, revision, letter, 0, k, {jump.letters[1]: value})
            number += 1
            store.execute(
                "INSERT INTO confirmations (machine, benchmark, metric, before, after, first, last, batch, number, direction, accept,"
                " give_up, suspected, min_effect, margin, unit, begun_s, answer, pairs, relative, low, high, confidence, p, least, more,"
                " known_after, settled, layout) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0.004, 0.3, ?, 0.02, 0.0025, 0, 1704067200, ?, ?, ?, ?, ?,"
                " 0.95, 1e-6, 0.02, 40, ?, 1, ?)",
                (machine, benchmarks[jump.letters[0]], metrics[jump.letters[1]], revisions[commit - 1], revisions[commit],
                 revisions[commit], revisions[commit], pairs, number, 1 if jump.size > 0 else -1, jump.size,
                 3 if jump.flag == "u" else 1, PAIRS, found, found - 0.01, found + 0.01, number, 2 if jump.flag == "l" else 0))
        session = commit >= cut
        for b in benchmarks:
            for k in range(TIMED):
                run(sessions[session], revisions[commit], b, 0, k,
                    {m: levels[b + m] * (1 + 0.08 * session) * (1 + noise(commit, ord(b), ord(m), k)) for m in NOISY})
            for k in range(COUNTED):
                run(sessions[session], revisions[commit], b, 1, k, {m: levels[b + m] for m in METRICS if m not in NOISY})
    store.commit()
    with open("perfevo-accepted.yml", "w") as out:
        out.write("".join(accepted))


# --- What the outputs have to say ---

LABELS = {"wall": "wall time", "max-rss": "peak memory", "allocated-peak": "peak of live allocations",
          "simulated-instructions": "simulated instructions", "allocations": "allocations"}
failures = 0


def expect(what, good, found=""):
    global failures
    failures += not good
    if not good and failures <= 30:
        print(f"FAILED: {what} {str(found)[:300]}")


def class_of(jumps):
    """The class and the standing of a commit, by the rule of docs/method.md."""
    confirmed = [jump for jump in jumps if jump.state == "confirmed"]
    suspected = [jump for jump in jumps if jump.state == "suspect"]
    deciding = [jump for jump in confirmed or suspected or jumps if jump.flag != "l"]
    standing = "confirmed" if confirmed else "suspected" if suspected else "accepted"
    times = {jump.size > 0 for jump in deciding if jump.metric == "wall"}
    if not deciding:
        return "layout", standing
    return ("counts" if not times else "mixed" if len(times) == 2 else "slower" if True in times else "faster"), standing


def number(text):
    """A printed change and half a unit of its last digit: "+3.6 %", "−0.5 %", "×16"."""
    found = re.fullmatch(r"([+−×]?)([\d,.]+)( %)?", text)
    assert found, text
    digits = found[2].replace(",", "")
    unit = 0.5 * 10 ** -len(digits.partition(".")[2])
    if found[1] == "×":
        return float(digits) - 1, unit
    return float(digits) / 100 * (-1 if found[1] == "−" else 1), unit / 100


def levels(text):
    """How much the second of two printed levels is above the first, and how far rounding may put that off."""
    found = re.fullmatch(r"([\d,.]+) ?(\w*) → ([\d,.]+) ?(\w*)", text)
    assert found, text
    values = [float(found[k].replace(",", "")) for k in (1, 3)]
    units = [0.5 * 10 ** -len(found[k].partition(".")[2]) if "." in found[k] or values[0] < 1000 else 0.5 for k in (1, 3)]
    return values[1] / values[0] - 1, (units[1] + units[0] * values[1] / values[0]) / values[0] + 1e-9


def same(what, printed, exact):
    expect(what, abs(printed[0] - exact) <= printed[1] * 1.001, f"{printed} for {exact}")


class Truth:
    """The events by subject, and of each jump what the JSON says, which is compared with the table first."""

    def __init__(self, document):
        self.events = {f"event {k}": jumps for k, (_, jumps) in enumerate(EVENTS)}
        self.classes = {subject: class_of(jumps) for subject, jumps in self.events.items()}
        expect("each event once in JSON", sorted(e["subject"] for e in document["events"]) == sorted(self.events))
        self.words, self.changes = {}, {}
        for event in document["events"]:
            subject = event["subject"]
            self.words[subject] = event["words"]
            expect(f"{subject}: class", (event["class"], event["standing"]) == self.classes[subject], (event["class"], event["standing"]))
            wanted = {(jump.benchmark, jump.metric): jump for jump in self.events[subject]}
            found = [(jump["benchmark"], jump["metric"]) for jump in event["jumps"]]
            expect(f"{subject}: jumps", sorted(found) == sorted(wanted), found)
            for jump in event["jumps"]:
                one = wanted[jump["benchmark"], jump["metric"]]
                paired = one.noisy and one.flag != "?"
                size = 0.9 * one.size if paired and one.size < 1 else one.size
                near = 1e-9 if paired else 0.005 if one.noisy else 5e-5
                expect(f"{subject}: size of {found}", abs(jump["relative"] - size) < near, jump["relative"])
                expect(f"{subject}: state", (jump["state"], jump["regression"], jump["layout"] is True) == (one.state, one.size > 0, one.flag == "l"), jump)
                self.changes[subject, jump["benchmark"], LABELS[jump["metric"]]] = jump["relative"]
        rows = [jump for line in document["lines"] for jump in line["jumps"]]
        expect("as many jumps of lines", len(rows) == len(self.changes), len(rows))
        for jump in rows:
            expect("levels of JSON", abs(jump["new_level"] / jump["old_level"] - 1 - jump["relative"]) < 1e-6, jump)
        self.headline = document["headline"]
        count = lambda standing, kind: sum(found == (kind, standing) for found in self.classes.values())
        memory = sum(self.classes[event["subject"]] == ("counts", "confirmed") and "memory" in event["words"] for event in document["events"])
        expect("headline", self.headline == f"{count('confirmed', 'slower')} slower, {count('confirmed', 'faster')} faster, {count('confirmed', 'mixed')} mixed"
               f" in {N} commits of 6 benchmarks; {memory} more change memory; {count('confirmed', 'counts') - memory} more change counts alone; {count('confirmed', 'layout')} by layout alone;"
               f" suspected: {count('suspected', 'slower')} slower, {count('suspected', 'faster')} faster, {count('suspected', 'mixed')} mixed;"
               f" {sum(standing == 'accepted' for _, standing in self.classes.values())} accepted", self.headline)

    def seen(self, output, found):
        """Each jump once."""
        expect(f"{output}: each jump once", sorted(found) == sorted(self.changes), set(found) ^ set(self.changes))


def check_csv(truth, folder):
    rows = list(csv.DictReader(open(f"{folder}/events.csv", newline="")))
    truth.seen("CSV", [(row["subject"], row["benchmark"], LABELS[row["metric"]]) for row in rows])
    for row in rows:
        expect(f"CSV: class of {row['subject']}", (row["class"], row["standing"]) == truth.classes[row["subject"]])
        expect("CSV: size", abs(float(row["relative"]) - truth.changes[row["subject"], row["benchmark"], LABELS[row["metric"]]]) < 1e-9)
        expect("CSV: levels", abs(float(row["new_level"]) / float(row["old_level"]) - 1 - float(row["relative"])) < 1e-6, row)


def check_markdown(truth, folder):
    text, found, subject = open(f"{folder}/track.md").read().replace("\\", ""), [], None
    expect("Markdown: headline", f"### perfevo: {truth.headline}\n" in text)
    for line in text.splitlines():
        cells = [cell.strip().strip("`*") for cell in line.split("|")[1:-1]]
        if len(cells) != 8 or not re.fullmatch(r"[+−×].*", cells[4]):
            continue
        if cells[0]:
            subject = cells[0].split(" ", 1)[1]
            expect(f"Markdown: class of {subject}", cells[1] == truth.words[subject], cells[1])
        found.append((subject, cells[2], cells[3]))
        same(f"Markdown: {found[-1]}", number(cells[4]), truth.changes.get(found[-1], math.nan))
        same(f"Markdown: levels of {found[-1]}", levels(cells[6]), truth.changes.get(found[-1], math.nan))
    truth.seen("Markdown", found)


def check_terminal(truth, folder):
    text = open(f"{folder}/track.txt").read()
    expect("terminal: headline", truth.headline in " ".join(text.split()), text[:200])
    label = "|".join(sorted(LABELS.values(), key=len, reverse=True))
    change = r"[+−×][\d,.]+(?: %)?"
    found, subject, name = [], None, None
    for line in re.sub(r"\n {38,}(?=[^ \n]*[\d%])", " ", text).splitlines():
        head = re.fullmatch(r"[0-9a-f]{8} (event \d+) {2,}(\S.*)", line)
        if head:
            subject = head[1]
            expect(f"terminal: class of {subject}", head[2] == truth.words[subject], head[2])
            continue
        if subject is None or not line.startswith("   "):
            subject = None if not line.startswith("   ") else subject
            continue
        if line[3] != " ":
            name = re.match(r"\S+(?: \S+)*", line[3:])[0]
            name = re.split(f" (?={label})", name)[0].rstrip("…")
            name = next((full for full in BENCHMARKS.values() if full.startswith(name)), name)
        for metric, size, step in re.findall(rf"({label}) +({change})(?:  \[[^]]*\])?((?: +[\d,.]+ ?\w* → [\d,.]+ ?\w*)?)", line):
            found.append((subject, name, metric))
            same(f"terminal: {found[-1]}", number(size), truth.changes.get(found[-1], math.nan))
            if step:
                same(f"terminal: levels of {found[-1]}", levels(step.strip()), truth.changes.get(found[-1], math.nan))
    truth.seen("terminal", found)


def check_page(truth, folder):
    blocks = dict(re.findall(r'<script type="application/x-perfevo" id="block-(\w+)">([^<]*)</script>', open(f"{folder}/report.html").read()))
    page = json.loads(zlib.decompress(base64.b64decode(blocks["index"])))
    expect("page: headline", page["headline"] == truth.headline, page["headline"])
    found = []
    for event, members in zip(page["events"], page["event_jumps"], strict=True):
        subject = event["subject"]
        expect(f"page: class of {subject}", (event["class"], event["standing"], event["words"]) == (*truth.classes[subject], truth.words[subject]))
        for number, at, *_ in members:
            line = page["lines"][number]
            jump = line["jumps"][at]
            found.append((subject, line["benchmark"], line["metric"]["label"]))
            expect(f"page: {found[-1]}", math.isclose(jump["relative"], truth.changes[found[-1]], rel_tol=1e-6), jump)
            expect(f"page: levels of {found[-1]}", math.isclose(jump["new_level"] / jump["old_level"] - 1, jump["relative"], rel_tol=1e-3), jump)
    truth.seen("page", found)
    cut = commit_of(SESSION) + 1
    for line in page["lines"]:
        noisy = line["metric"]["name"] in ("wall", "max-rss")
        at = line.get("at", range(len(line["value"])))
        measured = [(r, epoch) for r, epoch, value in zip(at, line["epoch"], line["value"]) if value is not None]
        breaks = [after[0] for before, after in zip(measured, measured[1:]) if before[1] != after[1]]
        expect("page: the sessions are apart", breaks == ([cut] if noisy else []), breaks)
        expect("page: the band is around the line", all(low <= value <= high for low, value, high in
               zip(line.get("q25", line["value"]), line["value"], line.get("q75", line["value"]))))


def check_log(truth, folder):
    rows = [re.search(r"(▲▼|▲|▼)? ?(event \d+)  (.*)", line) for line in open(f"{folder}/log.txt")]
    rows = {row[2]: row for row in rows if row}
    expect("log: each event once", sorted(rows) == sorted(truth.events), sorted(rows))
    for subject, row in rows.items():
        expect(f"log: class of {subject}", row[3].startswith(f"{truth.words[subject]}: "), row[3])
        kind, _ = truth.classes[subject]
        sign = {"slower": "▲", "faster": "▼", "mixed": "▲▼", "layout": None}
        expect(f"log: sign of {subject}", kind == "counts" or row[1] == sign[kind], row[1])


def check_status(truth, folder):
    text = open(f"{folder}/status.txt").read()
    for subject, words in truth.words.items():
        if commit_of(int(subject.split()[1])) >= N - 20 and truth.classes[subject][1] == "confirmed":
            expect(f"status: {subject}", re.search(rf"{re.escape(words)}: .*{subject}\n", text) is not None, text)


def check_show(truth, folder):
    for path in glob.glob(f"{folder}/show/*.json"):
        k, document = path.split("/")[-1][:-5], json.load(open(path))
        event = document["event"]
        expect(f"show: event {k}", event is not None and event["words"] == truth.words[f"event {k}"], event)
        moved = [(f"event {k}", value["benchmark"], value["metric"]["label"], value["change"]["relative"]) for value in document["values"] if value["jump"]]
        expect(f"show: jumps of event {k}", sorted(moved) == sorted((*place, size) for place, size in truth.changes.items() if place[0] == f"event {k}"), moved)


def check(folder):
    truth = Truth(json.load(open(f"{folder}/track.json")))
    for one in (check_csv, check_markdown, check_terminal, check_page, check_log, check_status, check_show):
        one(truth, folder)
    sys.exit(failures > 0)


if __name__ == "__main__":
    if sys.argv[1] == "history":
        history()
    elif sys.argv[1] == "fill":
        fill(sys.argv[2])
    else:
        check(sys.argv[2])
