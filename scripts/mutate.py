#!/usr/bin/env python3
"""Mutation score of the tests: one-line faults in all rooms, and which of them the tests find.

    scripts/mutate.py [--rev REV] [--folder DIR] [--only N,N-N] [--room ROOM] [--deep] [-j N]
    scripts/mutate.py --list

Each row of FAULTS is applied by itself to a worktree of REV (default: HEAD) in DIR (default: build/mutate), the
preset dev is built there, and the tests run until one fails. First the unit tests of the fault's room; with --deep
then those of the tool that the row names. A fault is killed where a test fails, or where the tests need more than ten
times as long as without it. Tests that fail without any fault do not count, nor does a fault that the compiler
rejects. Results are kept in DIR.tsv: a row that has one there is not run again.

The rows were drawn with a fixed seed (34) from all lines with a comparison, a logical or an arithmetic operator, some
for each room, and read: each changes what the program does for some input.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

# Room, file, the line's text (once in the file), its text with the fault, and the tests of the tool that may see it.
FAULTS = [
    ("core/base", "core/base/outfile.c", "if (errno != ENOENT)", "if (errno == ENOENT)", "export"),
    ("core/base", "core/base/glob.c", "return slash != NULL && slash[1] != '\\0';", "return slash != NULL && slash[1] == '\\0';", "changes"),
    ("core/base", "core/base/utf8.c", "string += pe_utf8_next(&point, string);", "string += (pe_utf8_next(&point, string), 1);", "log"),
    ("core/base", "core/base/spawn.c", "if ((spawn->flags & PE_SPAWN_FOLLOW) != 0 && !follow(start->parent))",
     "if ((spawn->flags & PE_SPAWN_FOLLOW) == 0 && !follow(start->parent))", "main"),
    ("core/exec", "core/exec/builder.c", "tail = line + 1;", "tail = line + 2;", "show"),
    ("core/exec", "core/exec/runner.c", "if (cost->has_instructions)", "if (!cost->has_instructions)", "track"),
    ("core/exec", "core/exec/runner_count.c", "if (strchr(program, '/') == NULL ||", "if (strchr(program, '/') != NULL ||", "track.not_countable"),
    ("core/exec", "core/exec/simulate.c", "if (outcome == PE_TIMED_OUT)", "if (outcome != PE_TIMED_OUT)", "track"),
    ("core/exec", "core/exec/alloc.c", "(later == NULL || later->pid != note->pid || start->time_ns < later->time_ns))",
     "(later != NULL || later->pid != note->pid || start->time_ns < later->time_ns))", "track"),
    ("core/model", "core/model/modules.c", "n += *lines == '\\n';", "n += *lines != '\\n';", "track"),
    ("core/model", "core/model/system_calls.c", "if (calls.n > 1 && strcmp(one[-1].name, name) >= 0)",
     "if (calls.n > 1 && strcmp(one[-1].name, name) <= 0)", "track"),
    ("core/model", "core/model/outcome.c", "if (outcome == PE_NOT_COUNTABLE)", "if (outcome != PE_NOT_COUNTABLE)", "log"),
    ("core/stats", "core/stats/segment.c", "double inside = half * half - c / p->a;", "double inside = half * half + c / p->a;", "track"),
    ("core/stats", "core/stats/bisect_next.c", "build = end_of_turn(b, 2 * old_times);", "build = end_of_turn(b, 2 / old_times);", "bisect"),
    ("core/stats", "core/stats/bisect_result.c", "share * (hypothesis->at[j]->mean[0] + hypothesis->at[j]->mean[2]);",
     "share * (hypothesis->at[j]->mean[0] - hypothesis->at[j]->mean[2]);", "bisect"),
    ("core/stats", "core/stats/design.c", "for (size_t i = 0; i < d->n; i++)", "for (size_t i = 1; i < d->n; i++)", "track"),
    ("json", "core/json/fields.c", "if (at == end || !fits) {", "if (at == end && !fits) {", "import"),
    ("json", "core/json/ctest.c", 'else if (pe_json_equals(name, "TIMEOUT") && value->kind == PE_JSON_NUMBER)',
     'else if (pe_json_equals(name, "TIMEOUT") && value->kind != PE_JSON_NUMBER)', "track.tests"),
    ("json", "core/json/cmake.c", "if (file != NULL)", "if (file == NULL)", "init"),
    ("suites", "suites/layout.c", "taking->reader->process = taking->first + taking->n++;",
     "taking->reader->process = taking->first + taking->n;", "suites"),
    ("suites", "suites/criterion_rs.c", 'if (strncmp(at + n, " ns/iter", 8) != 0)', 'if (strncmp(at + n, " ns/iter", 8) == 0)', "suites"),
    ("suites", "suites/go.c", "if (last == NULL || !pe_suite_is_digits(last + 1) || last[1] == '0' || strlen(last + 1) > 6)",
     "if (last == NULL || !pe_suite_is_digits(last + 1) || last[1] != '0' || strlen(last + 1) > 6)", "suites"),
    ("suites", "suites/units.c", "else if (size != 0)", "else if (size == 0)", "suites"),
    ("vcs", "vcs/content.c", 'if (at == NULL || strspn(at + 12, "0123456789abcdef") != 64)',
     'if (at == NULL || strspn(at + 12, "0123456789abcdef") == 64)', "track"),
    ("vcs", "vcs/graph.c", "if (node->read && !node->hidden && node->children == 0)",
     "if (node->read && node->hidden && node->children == 0)", "track"),
    ("vcs", "vcs/graph.c", "if (graph->first_parents && !graph->nodes.data[at].hidden && n > 1)",
     "if (graph->first_parents && graph->nodes.data[at].hidden && n > 1)", "track"),
    ("vcs", "vcs/hooked.c", 'git_config_get_entry(&entry, config, "core.hookspath") == 0) {',
     'git_config_get_entry(&entry, config, "core.hookspath") != 0) {', "hooks"),
    ("store", "store/sql_functions.c", "if (has_hex(text, 16))", "if (!has_hex(text, 16))", "share"),
    ("store", "store/exchange_out.c", "if (sqlite3_column_count(stmt) == 1)", "if (sqlite3_column_count(stmt) != 1)", "share"),
    ("store", "store/exchange_in.c", "if (found.answer == claim->is.answer)", "if (found.answer != claim->is.answer)", "share"),
    ("store", "store/functions.c", "if (functions->at[i].instructions > 0)", "if (functions->at[i].instructions == 0)", "profile"),
    ("store", "store/sql.c", "if (cause == EFBIG)", "if (cause != EFBIG)", "gc"),
    ("store", "store/batches.c", "return read_cells(out, store, arena, err);", "return PE_OK;", "resume"),
    ("configs", "configs/commands.c", "if (strncmp(at[i], assignment, name) == 0) {", "if (strncmp(at[i], assignment, name) != 0) {", "track"),
    ("configs", "configs/survey_built.c", 'strncmp(name, "benchmark_", 10) != 0', 'strncmp(name, "benchmark_", 10) == 0', "init"),
    ("configs", "configs/yaml.c", "if (parser->error == YAML_MEMORY_ERROR)", "if (parser->error != YAML_MEMORY_ERROR)", "main"),
    ("methods", "analysis/methods/code_executed.c", "mark(parts, at, BOUND, bound - 1, how);", "mark(parts, at, BOUND, bound, how);", "changes"),
    ("methods", "analysis/methods/code_x86.c", "return atom != NULL ? atom->addr == value : pe_x86_stub(&slot, image, value);",
     "return atom != NULL ? atom->addr != value : pe_x86_stub(&slot, image, value);", "changes"),
    ("methods", "analysis/methods/tokens.c", "} else if (i == a->n_sketch || b->sketch[j] < a->sketch[i]) {",
     "} else if (i == a->n_sketch || b->sketch[j] > a->sketch[i]) {", "changes"),
    ("profile", "analysis/profile/import_rules.c", "place = open + 1;", "place = open + 2;", "import"),
    ("profile", "analysis/profile/import_names.c", "if (end - name < 3 || end[-1] != ')')", "if (end - name < 3 || end[-1] == ')')", "import"),
    ("profile", "analysis/profile/export_pprof.c", "if (frames->at[i].module[0] == '\\0')", "if (frames->at[i].module[0] != '\\0')", "profile"),
    ("profile", "core/base/packed.c", "if (reader->rc == PE_OK && reader->at < reader->end)", "if (reader->rc == PE_OK && reader->at > reader->end)", "profile"),
    ("symbols", "analysis/symbols/names.c", "memmove(suffixes, suffixes + 1, --n * sizeof(suffixes[0]));",
     "memmove(suffixes + 1, suffixes, --n * sizeof(suffixes[0]));", "profile"),
    ("symbols", "analysis/symbols/names.c", 'if (name == NULL || strcmp(name, "operator()") != 0)',
     'if (name == NULL || strcmp(name, "operator()") == 0)', "compare.cxx"),
    ("compare", "analysis/compare/sequence.c", "if (head == NULL || *head == none_left)", "if (head != NULL && *head == none_left)", "compare"),
    ("compare", "analysis/compare/attribution.c", "if (is_sure_part(part) || (along && part->is.frame == cause->frame))",
     "if (is_sure_part(part) && (along && part->is.frame == cause->frame))", "compare"),
    ("compare", "analysis/compare/attribution.c", "return square(part->is.amount) > square(PE_SURE_OF_CHANGED) * part->of.variance;",
     "return square(part->is.amount) < square(PE_SURE_OF_CHANGED) * part->of.variance;", "compare"),
    ("report", "report/markdown.c", "if (n > 0 && at[1 + n] == '`' && at[2 + n] != '`') {",
     "if (n > 0 && at[1 + n] == '`' && at[2 + n] == '`') {", "ci"),
    ("report", "report/profile_methods.c", "if (ranked == 0 ||", "if (ranked != 0 ||", "profile"),
    ("report", "report/spark.c", "span = fmax(high - low, span * fmax(fabs(high), fabs(low)));",
     "span = fmax(high - low, span / fmax(fabs(high), fabs(low)));", "log"),
    ("hooks", "hooks/script.c", "if (end == NULL || *end != '\\n')", "if (end == NULL || *end == '\\n')", "hooks"),
    ("hooks", "hooks/folder.c", "else if (found.state == PE_HOOK_ABSENT && found.kept)",
     "else if (found.state == PE_HOOK_ABSENT || found.kept)", "hooks"),
    ("app/measure", "app/measure/trace_git.c", "return at < sorted->n &&", "return at + 1 < sorted->n &&", "carry"),
    ("app/changes", "app/changes/frame_finder.c", "strcmp(finder->entries.data[to].name, name) == 0)",
     "strcmp(finder->entries.data[to].name, name) != 0)", "changes"),
    ("app/history", "app/history/search_cache.c", "words[1] == key->digest.low", "words[1] != key->digest.low", "log"),
    ("app/history", "app/history/detect.c", "if (strcmp(machine->machine.fingerprint, here->fingerprint) == 0)",
     "if (strcmp(machine->machine.fingerprint, here->fingerprint) != 0)", "import"),
    ("app/search", "app/search/confirm_pairs.c", "for (size_t i = 0; rc == PE_OK && i < batch.n_cells; i++)",
     "for (size_t i = 1; rc == PE_OK && i < batch.n_cells; i++)", "confirm"),
    ("report", "report/fold.c", "return at[0] == ' ' && at[1] != '%';", "return at[0] == ' ' || at[1] != '%';", "help"),
    ("launcher", "probe/launcher/confine_mounts.c", "if (strlen(path) >= PATH_MAX || (path[0] != '/' && path[0] != '\\0')) {",
     "if (strlen(path) >= PATH_MAX && (path[0] != '/' && path[0] != '\\0')) {", "track"),
    # Drawn with the seed 340, each from another file of its room.
    ("suites", "suites/go.c", "if (**at != '\\0')", "if (**at == '\\0')", "suites"),
    ("suites", "suites/catch2.c", "if (strcmp(attributes[0], name) == 0)", "if (strcmp(attributes[0], name) != 0)", "suites"),
    ("suites", "suites/recognise.c", "if (is_object && level == 1)", "if (is_object && level != 1)", "suites"),
    ("suites", "suites/document.c", "if (search->end >= reader->n)", "if (search->end < reader->n)", "suites"),
    ("suites", "suites/layout.c", "if (pe_suite_has_values(draft))", "if (!pe_suite_has_values(draft))", "suites"),
    ("profile", "analysis/profile/import_speedscope.c", "if (n != n_weights)", "if (n == n_weights)", "import"),
    ("profile", "analysis/profile/archive.c", "if (cct->columns[c] != NULL)",
     "if (cct->columns[c] == NULL)", "import"),
    ("profile", "analysis/profile/merge_samples.c", "if (stats != NULL)", "if (stats == NULL)", "import"),
    ("profile", "analysis/profile/import_folded.c", "while (n_stack > 0 && is_blank(line[n_stack - 1]))",
     "while (n_stack <= 0 && is_blank(line[n_stack - 1]))", "import"),
    ("profile", "analysis/profile/import_callgrind.c", "end = pe_import_skip_blanks(end + 1);", "end = pe_import_skip_blanks(end + 2);", "import"),
    ("json", "core/json/ctest.c", "if (pe_json_length(command) > 0)", "if (pe_json_length(command) <= 0)", "track"),
    ("json", "core/json/tree.c", "while (rc != PE_OK && builder.open.n > 0)",
     "while (rc == PE_OK && builder.open.n > 0)", "suites"),
    ("json", "core/json/stream.c", "return stream->chunk_offset + (uint64_t)(stream->at - stream->chunk);",
     "return stream->chunk_offset - (uint64_t)(stream->at - stream->chunk);", "track"),
    ("json", "core/json/fields.c", "PE_TRY(i < n ? read_member(json, &fields[i], self) : pe_json_pass(json));",
     "PE_TRY(i >= n ? read_member(json, &fields[i], self) : pe_json_pass(json));", "track"),
    ("store", "store/sql_functions.c", "if (at == SIZE_MAX) {", "if (at != SIZE_MAX) {", "share"),
    ("store", "store/sql_functions.c", "!is_null(args[0]) && strlen(lines) <= PE_RESULTS_TEXT", "!is_null(args[0]) && strlen(lines) > PE_RESULTS_TEXT", "share"),
    ("store", "store/schema/results.sql", "min(v.time_s, s.now_s) - 86400", "max(v.time_s, s.now_s) - 86400", "share"),
    ("store", "store/exchange_read.c", "if (version != VERSION)", "if (version == VERSION)", "share"),
    ("configs", "configs/tests.c", "n = sources.n; n == 0 &&", "n = sources.n; n != 0 &&", "init"),
    ("configs", "configs/survey_make.c", 'if (strncmp(path, "test", 4) != 0 || is_bench(name))',
     'if (strncmp(path, "test", 4) != 0 && is_bench(name))', "init"),
    ("configs", "configs/values.c", "if (text[0] == '/')", "if (text[0] != '/')", "init"),
    ("configs", "configs/survey_languages.c", "return survey->suites.n + survey->benches.n > 0;",
     "return survey->suites.n + survey->benches.n == 0;", "init"),
    ("vcs", "vcs/checkout.c", "return n == 0 && done == content->size;", "return n != 0 && done == content->size;", "track"),
    ("vcs", "vcs/fill.c", "if (filling->clean)", "if (!filling->clean)", "track"),
    ("vcs", "vcs/content.c", "if (origin->lfs_dir == NULL || size == 0)", "if (origin->lfs_dir == NULL || size != 0)", "track"),
    ("vcs", "vcs/repo.c", "return git_signature_default(&user, repo->git) == 0",
     "return git_signature_default(&user, repo->git) != 0", "confirm"),
    ("store", "store/exchange_in.c", "if (alone && rc == PE_OK)", "if (alone && rc != PE_OK)", "share"),
    ("store", "store/batches.c", "if (sqlite3_changes(store->db) == 0)",
     "if (sqlite3_changes(store->db) != 0)", "share"),
    ("store", "store/series.c", "rc = pe_sql_open(&stmt, store, series_of[n - 1], args, err);",
     "rc = pe_sql_open(&stmt, store, series_of[n - 2], args, err);", "share"),
    ("store", "store/functions.c", "sum += entries[i + 1].n;", "sum -= entries[i + 1].n;", "share"),
    ("store", "store/exchange_out.c", "sqlite3_column_int64(stmt, 1) > out->time_s", "sqlite3_column_int64(stmt, 1) < out->time_s", "share"),
    ("symbols", "analysis/symbols/scopes.c", "split.addr != NULL ? &split : &die", "split.addr == NULL ? &split : &die", "profile"),
    ("symbols", "analysis/symbols/symbols.c", "Elf_Data *data = elf != NULL ? pe_elf_section(elf, name, &header) : NULL;",
     "Elf_Data *data = elf == NULL ? pe_elf_section(elf, name, &header) : NULL;", "profile"),
    ("symbols", "analysis/symbols/names.c", "dwarf_formflag(&attribute, &external) != 0 || !external)",
     "dwarf_formflag(&attribute, &external) == 0 || !external)", "profile"),
    ("symbols", "analysis/symbols/names.c", "dwarf_formref_die(&attribute, out) != NULL;",
     "dwarf_formref_die(&attribute, out) == NULL;", "profile"),
]

PRESET = "dev"
# What is not a room of tests of its own is tested with another.
TESTED_WITH = {"launcher": "core", "runtime": "profile", "cmd/ui": "cmd"}
# Rooms with tests of the label `release`, which run after the others.
WITH_LONG_TESTS = {"core", "profile", "store", "suites"}
# Slowest tests of a healthy tree, at least, in seconds, times ten: what hangs is killed then.
LEAST_LIMIT = 60
# Answers that are no death.
UNBUILT, STALE, SURVIVED = "unbuilt", "stale", "survived"


def run(argv, folder, limit, log):
    """Exit status of a command, or None where it needed longer than the limit; its children end with it."""
    env = dict(os.environ, ASAN_OPTIONS="hard_rss_limit_mb=3000:quarantine_size_mb=4")
    with subprocess.Popen(argv, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                          start_new_session=True) as child:
        try:
            return child.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None


class Tree:
    """The worktree in which faults are built and tested."""

    def __init__(self, folder, rev, jobs):
        self.folder, self.jobs = os.path.abspath(folder), str(jobs)
        self.build = os.path.join(self.folder, "build", PRESET)
        self.healthy = {}
        if not os.path.isdir(self.folder):
            subprocess.run(["git", "worktree", "add", "--detach", self.folder, rev], check=True, capture_output=True)
        self.git("checkout", "--force", "--detach", rev)
        self.rev = self.git("rev-parse", "--short", "HEAD").strip()
        with open(self.folder + ".log", "ab") as log:
            if run(["cmake", "--preset", PRESET, "-DPERFEVO_TESTS=ON", "-DPERFEVO_TRAPS=ON"], self.folder, 600, log) != 0:
                sys.exit(f"mutate.py: cmake failed (log: {self.folder}.log)")

    def git(self, *words):
        return subprocess.run(["git", "-C", self.folder, *words], check=True, capture_output=True, text=True).stdout

    def targets(self, room):
        """Programs of the unit tests of a room: one each, or one for each header."""
        name = "test_" + room.replace("/", "_")
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "targets", "all"], capture_output=True, text=True, check=True)
        found = re.findall(rf"^({name}(?:_\w+)?): phony", listed.stdout, re.M)
        return found or sys.exit(f"mutate.py: no target {name}")

    def passes(self, what, targets, *tests):
        """None: all tests pass; else how the fault was found. The first call for a set of tests has no fault."""
        with open(self.folder + ".log", "ab") as log:
            if run(["cmake", "--build", self.build, "-j", self.jobs, *(["--target", *targets] if targets else [])],
                   self.folder, 1800, log) != 0:
                return UNBUILT
            first = what not in self.healthy
            begun = time.monotonic()
            ends = "" if first else "--stop-on-failure"
            failing, limit = ("", 3000) if first else self.healthy[what]
            out = self.folder + ".failed"
            # What was slow is run first where ctest has a note of it: here, what is quick.
            if os.path.exists(self.build + "/Testing/Temporary/CTestCostData.txt"):
                os.remove(self.build + "/Testing/Temporary/CTestCostData.txt")
            rc = run(["ctest", "--test-dir", self.build, "-j", self.jobs, *tests, *([ends] if ends else []),
                      *(["-E", failing] if failing else []), "-Q", "-O", out], self.folder, limit, log)
        names = re.findall(r"^\s*\d+ - (\S+) \(", open(out, encoding="utf-8", errors="replace").read(), re.M)
        if first:
            self.healthy[what] = ("^(" + "|".join(map(re.escape, names)) + ")$" if names else "",
                                  max(LEAST_LIMIT, 10 * (time.monotonic() - begun)))
            if names:
                print(f"     without a fault: {' '.join(names)} fails, and does not count")
        return "time" if rc is None else names[0] if names else None if rc == 0 else "ctest"

    def try_fault(self, fault, deep):
        room, file, old, new, tool = fault
        if not os.path.exists(os.path.join(self.folder, file)):
            file = self.moved(old)
        path = file and os.path.join(self.folder, file)
        text = open(path, encoding="utf-8").read() if path else ""
        if text.count(old) != 1:
            return STALE
        tested = TESTED_WITH.get(room, room.split("/")[0] if room.startswith("core/") else room)
        own = "^" + tested.replace("/", r"\.") + r"\."
        stages = [(tested, self.targets(tested), "-R", own, "-LE", "^release$"), (tested + " long", self.targets(tested), "-R", own, "-L", "^release$")]
        if tested not in WITH_LONG_TESTS:
            stages.pop()
        if deep:
            stages.append(("cli." + tool, [], "-R", rf"^cli\.({tool})"))
        for stage in stages:
            if stage[0] not in self.healthy:
                if self.passes(*stage) == UNBUILT:
                    sys.exit(f"mutate.py: the tree does not build (log: {self.folder}.log)")
            with open(path, "w", encoding="utf-8") as out:
                out.write(text.replace(old, new))
            try:
                found = self.passes(*stage)
            finally:
                with open(path, "w", encoding="utf-8") as out:
                    out.write(text)
            if found:
                return found
        return SURVIVED

    def moved(self, text):
        """The file that has a line today, where it is one."""
        found = subprocess.run(["git", "-C", self.folder, "grep", "-lF", "-e", text, "--", "*.c"], capture_output=True, text=True)
        files = found.stdout.split()
        return files[0] if len(files) == 1 else None


def chosen(only, room):
    """Numbers of the rows that are asked for: 1-9,12 and the rooms that begin with a word."""
    wanted = set(range(1, len(FAULTS) + 1))
    if only:
        wanted = set()
        for part in only.split(","):
            first, _, last = part.partition("-")
            wanted |= set(range(int(first), int(last or first) + 1))
    return [n for n in sorted(wanted) if not room or FAULTS[n - 1][0].startswith(room)]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rev", default="HEAD")
    parser.add_argument("--folder", default="build/mutate")
    parser.add_argument("--only", default="")
    parser.add_argument("--room", default="")
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if args.list:
        for n, fault in enumerate(FAULTS, 1):
            print(f"{n:3} {fault[1]}: {fault[2]}  =>  {fault[3]}")
        return
    tree = Tree(args.folder, args.rev, args.jobs)
    results = args.folder + ".tsv"
    known = {}
    if os.path.exists(results):
        for line in open(results, encoding="utf-8"):
            rev, n, deep, found = line.rstrip("\n").split("\t")
            if rev == tree.rev and (found not in (SURVIVED, STALE) or deep == "deep" or not args.deep):
                known[int(n)] = found
    for n in chosen(args.only, args.room):
        if n not in known:
            known[n] = tree.try_fault(FAULTS[n - 1], args.deep)
            with open(results, "a", encoding="utf-8") as out:
                out.write(f"{tree.rev}\t{n}\t{'deep' if args.deep else 'unit'}\t{known[n]}\n")
        found = known[n]
        state = found if found in (SURVIVED, STALE, UNBUILT) else "killed"
        print(f"{n:3} {state:8} {FAULTS[n - 1][1]}: {FAULTS[n - 1][2]}" + (f"  ({found})" if state == "killed" else ""), flush=True)
    tried = [known[n] for n in chosen(args.only, args.room) if known[n] not in (STALE, UNBUILT)]
    killed = sum(found != SURVIVED for found in tried)
    print(f"{tree.rev}: {killed} of {len(tried)} faults killed ({100 * killed / max(1, len(tried)):.0f} %)")


if __name__ == "__main__":
    main()
