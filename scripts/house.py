#!/usr/bin/env python3
"""The house: which rooms there are, which of them may include which, and the figures that say how it is kept.

    scripts/house.py [--build DIR]    today's figures, one row each
    scripts/house.py --check          what lint.sh asks: one line a fault, exit status 1 when there is one

The largest cycle needs the archives of a build (default: build/release).
"""
import collections
import os
import re
import subprocess
import sys

# A room may include itself and the rooms in its row. Files belong to the longest name that their path begins with.
CORE = ["probe/formats", "core/base", "core/stats", "core/model", "core/exec"]
OUTER = ["core/json", "vcs", "configs", "analysis/methods", "analysis/profile", "analysis/compare", "analysis/symbols", "store", "report", "hooks", "suites"]
APP = ["app", "app/measure", "app/profiling", "app/changes", "app/history", "app/search", "app/explain", "app/pages", "app/cluster", "app/jobs"]
ROOMS = {
    "probe/formats": [],
    "core/base": CORE[:1],
    "core/stats": CORE[:2],
    "core/model": CORE[:3],
    "core/exec": CORE[:4],
    "probe/launcher": ["probe/formats"],
    "probe/runtime": ["probe/formats"],
    "core/json": CORE,
    "suites": CORE[:4] + ["core/json"],
    "vcs": CORE,
    "configs": CORE + ["core/json", "suites"],
    "analysis/methods": CORE + ["analysis/profile", "analysis/symbols"],
    "hooks": CORE,
    "analysis/profile": CORE + ["core/json"],
    "analysis/compare": CORE + ["analysis/profile"],
    "analysis/symbols": CORE + ["analysis/profile"],
    "store": CORE + ["core/json", "analysis/methods", "analysis/profile"],
    "report": CORE + ["core/json", "analysis/profile", "analysis/compare"],
    "app": CORE + OUTER,
    "app/measure": CORE + OUTER + APP[:1],
    "app/profiling": CORE + OUTER + APP[:2],
    "app/changes": CORE + OUTER + APP[:3],
    "app/history": CORE + OUTER + APP[:4],
    "app/search": CORE + OUTER + APP[:5],
    "app/explain": CORE + OUTER + APP[:5],
    "app/pages": CORE + OUTER + APP[:5] + ["app/explain"],
    "app/cluster": CORE + OUTER + APP[:6],
    "app/jobs": CORE + OUTER + APP[:9],
    "cmd/ui": CORE + OUTER + APP,
    "cmd": CORE + OUTER + APP + ["cmd/ui"],
}

# Names that may leave an object file. The runtime also has the names of the libc functions that it stands before.
PREFIX = re.compile(r"(pe|cmd)_")
ALSO = {"main"}

# Files that may open by name, and what: all else goes through pe_files_open_placed(), pe_files_open_found() or their kin, which
# follow no link that a tree or a command placed, wait for nothing, and open no device.
OPENERS = {
    "probe/": "the launcher and what is preloaded: they open as the confined command, or before it",
    "core/base/files.c": "the functions for all others",
    "core/base/outfile.c": "outputs that the command line names; no link is followed below",
    "core/base/walk.c": "folders, from one open folder to the next",
    "core/base/proc.c": "/proc",
    "core/base/clock.c": "/proc",
    "core/base/spawn.c": "/dev/null",
    "core/exec/jobserver.c": "a pipe that make(1) named to perfevo itself",
    "core/exec/machine.c": "/proc and /sys",
    "core/exec/sandbox.c": "/etc, /opt and /usr/local, which root alone writes to",
    "core/exec/runner_count.c": "a folder of an open folder, O_NOFOLLOW",
    "vcs/bundles.c": "the lock and the files of perfevo's own repository",
    "vcs/content.c": "objects of git-lfs, below .git",
    "vcs/checkout.c": "files of an open folder, O_NOFOLLOW and O_EXCL",
    "store/store.c": "the store that the command line names",
    "configs/discovery.c": "the top of the user's tree",
    "configs/listing.c": "the top of the user's tree",
    "configs/overlay.c": "folders and files of an open folder, O_NOFOLLOW",
    "hooks/background.c": "the hooks' log, below .git",
    "hooks/journal.c": "the hooks' journal and lock, below .git",
    "app/app.c": "perfevo's locks, below .git and in the cache",
    "app/cluster/spool.c": "files of the spool, which is the user's alone",
    "app/measure/session.c": "perfevo's lock in the cache",
    "cmd/ci.c": "the file that the pipeline's runner names",
}

# Words that the field does not use for these things, refused in identifiers and comments. A word is added once no file has it.
OLD_WORDS = re.compile(r"(?<![A-Za-z])(" + "|".join([
    "wish(?:es)?", "crews?", "witness(?:es)?", "deaf", "vain", "spared", "crumbs?", "patient", "knife", "moor", "adrift",
    "pour(?:s|ed|ing)?", "unsaid", "foresees?", "distrusts?", "fates?", "hires?", "welcomes", "came of", "lets? go of",
    "of no account",
]) + r")(?![A-Za-z])", re.I)

# Structs with a revision, a cell or a commit that do not carry it on from git to the table (the walk in CONTRIBUTING), and why.
BESIDE_THE_WALK = {
    "pe_audit": "why a build or run is not needed: of reuse alone",
    "pe_batch": "its cells are on the walk",
    "pe_calls_cell": "asks for stored counts by function",
    "pe_detect_opts": "options",
    "pe_engine": "owns cells and builds that are on the walk",
    "pe_failure": "what has no value",
    "pe_plan": "numbers of revisions",
    "pe_progress_event": "what is shown of work in progress",
    "pe_reuse": "why a build or run is not needed: of reuse alone",
    "pe_session": "owns revisions that are on the walk",
    "pe_session_costs": "estimates",
    "pe_traced_build": "why a build is not needed: of reuse alone",
    "pe_traced_run": "why a run is not needed: of reuse alone",
    "pe_trouble": "what is noted in the end",
}
WALK_ROOMS = ("app/measure/", "app/history/", "core/model/", "core/exec/")

# cmake/portable/ is linked in front of other libcs and has their names.
NOT_PRODUCT = ("tests/", "bench/", "cmake/")
SKIPPED = {".git", "build", "node_modules"}


def tree():
    """Paths of the tree's files, without build folders."""
    for folder, folders, names in os.walk("."):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        for name in sorted(names):
            yield os.path.join(folder, name)[2:]


def bare(text):
    """C without comments and without what strings hold, on as many lines."""

    def blank(match):
        kept = '""' if match[0][0] == '"' else "' '" if match[0][0] == "'" else " "
        return kept + "\n" * match[0].count("\n")

    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


def room_of(path):
    """The room that a file or header belongs to; None for one outside of all rooms."""
    folder = os.path.dirname(path)
    while folder and folder not in ROOMS:
        folder = os.path.dirname(folder)
    return folder or None


def circles(edges):
    """Strongly connected sets of more than one node (Tarjan 1972), largest first."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in list(edges):
        work = [(root, iter(edges[root]))] if root not in index else []
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            for other in rest:
                if other not in index:
                    work.append((other, iter(edges.get(other, ()))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    on_stack.difference_update(stack[at:])
                    if len(stack) - at > 1:
                        found.append(stack[at:])
                    del stack[at:]
    return sorted(found, key=len, reverse=True)


class House:
    """The tree, read once."""

    def __init__(self):
        self.files = list(tree())
        self.product = [f for f in self.files if not f.startswith(NOT_PRODUCT)]
        self.text = {f: open(f, encoding="utf-8").read() for f in self.product if f.endswith((".c", ".h"))}
        self.code = {f: bare(t) for f, t in self.text.items()}

    def lines_of(self, *endings):
        return {f: open(f, "rb").read().count(b"\n") for f in self.product if f.endswith(endings)}

    def includes(self):
        """Of each of our #include lines: file, line and path."""
        for path, text in self.text.items():
            for match in re.finditer(r'^[ \t]*#[ \t]*include "([^"]+)"', text, re.M):
                yield path, text.count("\n", 0, match.start()) + 1, match[1]

    def room_edges(self):
        edges = collections.defaultdict(set)
        for path, _, header in self.includes():
            if room_of(path) and room_of(header) and room_of(path) != room_of(header):
                edges[room_of(path)].add(room_of(header))
        return edges

    def wrong_includes(self):
        for path in self.text:
            if room_of(path) is None:
                yield f"{path}: belongs to no room of scripts/house.py"
        for path, line, header in self.includes():
            here, there = room_of(path), room_of(header)
            if header not in self.files:
                yield f"{path}:{line}: no such header: {header}"
            elif here and there and here != there and there not in ROOMS[here]:
                yield f"{path}:{line}: {here} must not include {header}: {there} is not below it"

    def tags_twice(self):
        """Tags and enumerators that more than one header defines."""
        found = collections.defaultdict(set)
        for path, code in self.code.items():
            if not path.endswith(".h"):
                continue
            for match in re.finditer(r"\b(struct|enum|union)\s+(\w+)\s*\{", code):
                found[f"{match[1]} {match[2]}"].add(path)
            for match in re.finditer(r"\benum\s*\w*\s*\{([^}]*)\}", code):
                for name in re.findall(r"(?:^|,)\s*(\w+)", match[1]):
                    found[name].add(path)
        for name, paths in sorted(found.items()):
            if len(paths) > 1:
                yield f"{min(paths)}: {name} is defined in {', '.join(sorted(paths - {min(paths)}))}, too"

    def bare_externals(self):
        """Functions and objects at file scope without `static` and without their prefix."""
        for path, code in self.code.items():
            for match in re.finditer(r"^(?!static\b|typedef\b|struct \w+ \{|return\b|else\b|union\b)"
                                     r"(?![^\n(]*\bstatic\b)[A-Za-z_][\w \t\n*]*?[ *\n](\w+)(\(|\[[^\n]*\] = | = )", code, re.M):
                name, after = match[1], match[2]
                if after == "(":
                    rest = code[match.end():]
                    depth = end = 0
                    for end, char in enumerate(rest):
                        depth += (char == "(") - (char == ")")
                        if depth < 0:
                            break
                    if not re.match(r"\s*\{" if path.endswith(".c") else r"\s*(;|PE_\w+)", rest[end + 1:]):
                        continue
                    # The runtime's own files define what libc declares.
                    if path.startswith("probe/runtime/") and path.endswith(".c"):
                        continue
                if not PREFIX.match(name) and name not in ALSO and not name.isupper():
                    yield f"{path}:{code.count(chr(10), 0, match.start(1)) + 1}: external name '{name}' lacks pe_"

    def undocumented(self):
        """Prototypes of headers without a comment above them.

        A comment stands for all prototypes below it up to the next blank line. Exempt is what only lets go of its one
        argument: X_release(x), X_close(x), X_free(x), X_forget(x).
        """
        for path, text in self.text.items():
            lines = text.split("\n") if path.endswith(".h") else []
            for i, line in enumerate(lines):
                match = re.match(r"(?!typedef\b|static\b|return\b)[A-Za-z_][\w \t*]*?[ *](\w+)\((.*)", line)
                if not match or re.search(r"_(release|close|free|forget)$", match[1]) and "," not in match[2]:
                    continue
                above = i - 1
                while above >= 0 and lines[above].strip() and not lines[above].rstrip().endswith("*/"):
                    above -= 1
                if above < 0 or not lines[above].strip():
                    yield f"{path}:{i + 1}: {match[1]}() has no comment that says what it does"

    def openers(self):
        """Calls that open a file by name outside of the files that may; and files of that list that open nothing."""
        opens = re.compile(r"(?<![\w.>])(open|open64|openat|openat64|fopen|freopen|creat)\s*\(")
        met = set()
        for path, code in self.code.items():
            match = opens.search(code) if path.endswith(".c") else None
            allowed = next((name for name in OPENERS if path.startswith(name)), None)
            if match and allowed:
                met.add(allowed)
            elif match:
                yield (f"{path}:{code.count(chr(10), 0, match.start(1)) + 1}: {match[1]}() of a name: use "
                       "pe_files_open_placed() or pe_files_open_found(), or say in OPENERS of scripts/house.py why not")
        for name in sorted(set(OPENERS) - met):
            yield f"{name}: opens no file by name any more: take it out of OPENERS in scripts/house.py"

    def old_words(self):
        for path, text in self.text.items():
            for match in OLD_WORDS.finditer(text):
                yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: '{match[1]}' is no word of the field"

    def structs(self):
        """Of each struct that a header defines: its path, name and body."""
        for path, code in self.code.items():
            for match in re.finditer(r"\bstruct\s+(\w+)\s*\{", code) if path.endswith(".h") else ():
                depth, end = 1, match.end()
                while depth and end < len(code):
                    depth += (code[end] == "{") - (code[end] == "}")
                    end += 1
                yield path, match[1], code[match.end():end - 1]

    def walk(self):
        """Structs and numberings that the picture of the walk in CONTRIBUTING names."""
        text = open("CONTRIBUTING.md", encoding="utf-8").read()
        picture = re.search(r"^## The walk\n.*?^```\n(.*?)^```", text, re.M | re.S)
        lines = picture[1].split("\n") if picture else []
        structs = [n for line in lines for n in re.findall(r"\bpe_\w+\b(?!\()", line)]
        return structs, [line for line in lines if re.match(r"\(\d+\) ", line)], len(lines)

    def off_the_walk(self):
        """What the picture of the walk names and is gone, and what it lacks."""
        named, _, lines = self.walk()
        if lines > 40:
            yield f"CONTRIBUTING.md: the picture of the walk has {lines} lines, and at most 40"
        defined = {name: path for path, name, _ in self.structs()}
        for name in named:
            if name not in defined:
                yield f"CONTRIBUTING.md: the walk names struct {name}, which no header defines"
            if name in BESIDE_THE_WALK or named.count(name) > 1:
                yield f"CONTRIBUTING.md: the walk names struct {name} twice, or BESIDE_THE_WALK does, too"
        members = re.compile(r"\b(?:revisions?|cells?|commits?)\s*(?:\[[^\]]*\]\s*)?[;,]")
        holds = {name for path, name, body in self.structs()
                 if path.startswith(WALK_ROOMS) and members.search(re.sub(r"\([^()]*\)", "", body))}
        for name in sorted(holds - set(named) - set(BESIDE_THE_WALK)):
            yield (f"{defined[name]}: struct {name} has a revision, cell or commit: draw it in the walk of CONTRIBUTING, or say "
                   "in BESIDE_THE_WALK of scripts/house.py why not")
        for name in sorted(set(BESIDE_THE_WALK) - holds):
            yield f"scripts/house.py: struct {name} has no revision, cell or commit: take it out of BESIDE_THE_WALK"

    def checks(self):
        yield from self.old_words()
        yield from self.off_the_walk()
        yield from self.wrong_includes()
        yield from self.openers()
        for circle in circles(self.room_edges()):
            yield f"{circle[0]}: a circle of rooms: {' '.join(sorted(circle))}"
        yield from self.tags_twice()
        yield from self.bare_externals()
        yield from self.undocumented()

    # ---- figures ----

    def having(self, pattern, outside):
        """Files of product C in which a pattern stands."""
        expression = re.compile(pattern)
        return sorted(f for f, code in self.code.items() if not f.startswith(outside) and expression.search(code))

    def launchers(self):
        return self.having(r"\b(v?fork|posix_spawnp?|popen|system)\s*\(", ("probe/launcher/", "probe/runtime/"))

    def hash_tables(self):
        """Files that step through slots: at = (at + 1) & mask, or % size, or slots[at & mask]."""
        found = self.having(r"(\w+) = \(\1 \+ 1\) (&|%)|\[\w+ & \(.* - 1\)\]", ("probe/runtime/", "probe/launcher/"))
        return [f for f in found if f.endswith(".c")]

    def engines(self):
        """Files that store runs that were made here; all that measure are clients of the engine."""
        return self.having(r"\bpe_store_put_run\(", ("store/", "app/measure/import.c"))

    def lines_of_tests(self):
        """Ends of lines in what git tracks of tests/, data and expected output included."""
        listed = subprocess.run(["git", "ls-files", "-z", "tests"], capture_output=True, check=True).stdout.split(b"\0")
        return sum(open(path, "rb").read().count(b"\n") for path in listed if path and os.path.isfile(path))

    def unit_tests(self):
        counts = collections.Counter()
        for path in self.files:
            if path.startswith("tests/app/") and path.endswith(".c"):
                counts[path.split("/")[2]] += len(re.findall(r"^Test(?:Over)?\(", open(path).read(), re.M))
        return counts

    def cycle(self, build):
        """The largest set of object files that all need each other; None without archives."""
        archives = [os.path.join(folder, name) for folder, _, names in os.walk(build)
                    for name in names if name.startswith("libpe_") and name.endswith(".a")
                    and "/tests/" not in folder + "/" and "grammars" not in folder]
        if not archives:
            return None
        defined, needed = {}, collections.defaultdict(set)
        out = subprocess.run(["nm", "-A", *archives], capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            where, _, symbol = line.rpartition(":")
            if not symbol:
                continue
            kind, name = symbol.split()[-2:]
            if kind == "U":
                needed[where].add(name)
            elif kind.isupper():
                defined[name] = where
        edges = {w: {defined[n] for n in names if n in defined} - {w} for w, names in needed.items()}
        found = circles(edges)
        return [re.sub(r".*:(.*)\.o$", r"\1", w) for w in found[0]] if found else []

    def figures(self, build):
        edges = circles(self.room_edges())
        cycle = self.cycle(build)
        yield ("largest link-level cycle", "needs a build" if cycle is None else
               f"{len(cycle) or 1} files" + (f" ({' '.join(sorted(cycle))})" if 1 < len(cycle) <= 12 else ""), "5")
        yield "circles between rooms", str(len(edges)), "0"
        lines, files = collections.Counter(), collections.Counter()
        for path, n in self.lines_of(".c", ".h").items():
            lines[room_of(path) or "?"] += n
            files[room_of(path) or "?"] += path.endswith(".c")
        room, most = lines.most_common(1)[0]
        yield "biggest room", f"{100 * most / sum(lines.values()):.1f} % of C ({room}, {files[room]} .c files)", "15 %"
        yield "tags defined twice", str(len(list(self.tags_twice()))), "0"
        yield "external names without prefix", str(len(list(self.bare_externals()))), "0"
        structs, numberings, _ = self.walk()
        yield "structs on the walk", str(len(structs)), "20"
        yield "numberings of a revision", str(len(numberings)), "3"
        for name, found, most in (("files that measure", self.engines(), "1"),
                                  ("files that start processes, besides the launcher", self.launchers(), "1"),
                                  ("files with a hash table", self.hash_tables(), "1")):
            yield name, f"{len(found)}{': ' if found else ''}{' '.join(found)}", most
        yield "product lines (.c .h .js .css .sql)", str(
            sum(self.lines_of(".c", ".h", ".js", ".css", ".sql").values())), "110000"
        yield "tracked lines of tests (git ls-files -z tests | xargs -0 wc -l)", str(self.lines_of_tests()), "75000"
        yield "unit tests of the application", " ".join(f"{k} {n}" for k, n in sorted(self.unit_tests().items())) or "0", "every sub-room"


def main(args):
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    house = House()
    if args == ["--check"]:
        faults = list(house.checks())
        for fault in faults:
            print(fault)
        return 1 if faults else 0
    if args[:1] == ["--build"] and len(args) == 2 or not args:
        rows = list(house.figures(args[1] if args else "build/release"))
        print(f"{'':66} {'at most':>14}   today")
        for name, value, most in rows:
            print(f"{name:66} {most:>14}   {value}")
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
