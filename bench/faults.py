#!/usr/bin/env python3
"""Does `perfevo compare` name the function that a fault was put into?

The experiment of Ocariza and Zhao ("Localizing software performance regressions in web applications by
comparing execution timelines", section 5.2) on native programs. Into functions that the benchmark executes,
chosen at random, goes one of three faults, each as a commit on top of a revision 20 commits after the baseline:

  library    a call of a library's function takes longer
  loop       a long loop at the beginning
  condition  `c` becomes `check() && c`, and check() takes a little while

Delays are sized from counted executions of the very place, so that the whole benchmark takes 6 to 30 per cent
longer, or as much as --size says. What delays is no part of the program's own code (it is not instrumented, like the C library), so its time
belongs to the function that was modified.
A turn of the loop takes up to twice as long in one build as in another, by where it lies: so the benchmark may take
twice of that longer, or the build that is sampled may show half of what is timed, as in programs that nobody faulted.

Then baseline and fault are compared, and perfevo's verdict is judged by the paper's measures, each cause being an
output. Those causes count that make the program slower by a fifth of what the greatest does or more. A cause stands for
the method that perfevo says to look at.

  recall     answers that name the modified function
  precision  outputs that are the modified function

Two versions of the baseline that differ only in a function nobody calls must have no cause at all; what the 20
commits without a fault say is printed too, as false causes may be true ones of theirs.

Everything is kept below --dir, so that what was interrupted goes on, and a changed build of perfevo judges again
what was measured already.
"""
import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ('library', 'loop', 'condition')
SIZE = '6,30'  # per cent of the benchmark's time
MIN_SHARE = 0.2  # of the greatest cause

LUA = '''
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words = {}
for i = 1, %(words)d do words[i] = string.format("%%d:%%s", i * 7919 %% 65536, ("x"):rep(i %% 13)) end
table.sort(words)
local seen, hits = {}, 0
for _, w in ipairs(words) do
	seen[w:gsub("x+", "y")] = true
	for d in w:gmatch("%%d+") do hits = hits + tonumber(d) end
end
print(fib(%(fib)d), #words, hits, #table.concat(words, ","))
'''
WREN = '''
class Fib {
  static get(n) { n < 2 ? n : get(n - 1) + get(n - 2) }
}
var map = {}
for (i in 0...%(entries)d) map["%%(i * 7919 %% 65536)"] = i
var list = map.values.where {|v| v %% 3 == 0 }.map {|v| v * 2 }.toList
list.sort()
System.print("%%(Fib.get(%(fib)d)) %%(map.count) %%(list.count)")
'''


def lua_input(words, fib):
    return LUA % dict(words=words, fib=fib)


def wren_input(entries, fib):
    return WREN % dict(entries=entries, fib=fib)


def text_input(lines):
    s, out = 1, []
    for i in range(lines):
        s = (s * 1103515245 + 12345) % 2147483648
        out.append(f'line {i} of {s % 1000} {"the quick brown fox jumps over the lazy dog"[:1 + s % 30]}\n')
    return ''.join(out)


def json_input(rows):
    return json.dumps([{'id': i, 'name': f'item {i}', 'price': round(i / 7, 2), 'tags': ['a', f'b\n{i}', None, True]}
                       for i in range(rows)], indent=1)


# By the name of the clone: where faults are put (HEAD; the commit of cJSON after this one makes parse_number()
# allocate, a true cause that would be found beside every fault), sources (of make's wildcard), flags, libraries,
# driver, input, command. $IN is the input, $OUT a file to write to.
PROGRAMS = {
    'lua': dict(sources='l*.c', exclude='ltests.c', flags='-DLUA_USE_POSIX', libs='-lm',
                input=lambda: lua_input(30000, 24), command='./bench $IN'),
    'zlib': dict(sources='*.c test/minigzip.c', flags='-D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -I.',
                 input=lambda: text_input(100000), command='./bench -6 <$IN >$OUT && ./bench -d <$OUT'),
    'lz4': dict(sources='lib/*.c programs/*.c', flags='-Ilib', libs='-pthread', input=lambda: text_input(120000),
                command='./bench -9 -c $IN >$OUT && ./bench -d -c $OUT && ./bench -1 -BD -c $IN'),
    'cJSON': dict(new='12c4bf1986c288950a3d06da757109a6aa1ece38', sources='cJSON.c', flags='-I.',
                  libs='-lm', driver='truth_cjson.c', input=lambda: json_input(1500), command='./bench $IN 60'),
    'wren': dict(sources='src/vm/*.c src/optional/*.c', flags='-Isrc/include -Isrc/vm -Isrc/optional', libs='-lm',
                 driver='truth_wren.c', input=lambda: wren_input(60000, 22), command='./bench $IN'),
}

LIBRARY = '''memcpy memmove memset memcmp memchr strlen strcmp strncmp strchr strrchr strcpy strcat strcoll strpbrk
strspn strstr strtod strtol strtoul malloc calloc realloc free printf fprintf sprintf snprintf vsnprintf fwrite fread
fputs fputc puts putc putchar fgets getc ungetc feof ferror fopen fdopen fclose fflush fseek fileno read write open
close lseek floor ceil fmod pow ldexp frexp fabs localeconv setlocale time clock getenv isatty stat tolower toupper
isalnum isalpha isdigit isspace isxdigit iscntrl ispunct memccpy strerror qsort longjmp setjmp
zmemcpy zmemzero LZ4_memcpy LZ4_memmove LZ4_memset MEM_INIT ALLOC ALLOC_AND_ZERO FREEMEM lua_str2number
lua_number2str lua_writestring lua_writeline'''.split()
LIBRARY_CALL = re.compile(r'(?<![\w.>])(?:' + '|'.join(LIBRARY) + r')\s*\(')
CONDITION = re.compile(r'\b(?:if|while)\s*\(')


class Unfit(Exception):
    """This function, or this place, cannot take the fault."""


def run(*args, **options):
    options.setdefault('check', True)
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


# --- C, as much of it as is needed ---

def masked(text):
    """The text with comments, literals, directives and all branches of #if but the first blanked out."""
    out = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'',
                 lambda m: re.sub(r'[^\n]', ' ', m.group()), text, flags=re.S)
    lines, dead, inside = [], [], False
    for line in out.split('\n'):
        word = re.match(r'\s*#\s*(\w+)\s*(\w*)', line)
        if inside or word:
            if word and not inside:
                if word[1].startswith('if'):
                    dead.append(word[1] == 'if' and word[2] == '0')
                elif word[1] in ('else', 'elif') and dead:
                    dead[-1] = not dead[-1] if word[1] == 'else' and dead[-1] else True
                elif word[1] == 'endif' and dead:
                    dead.pop()
            inside = line.rstrip().endswith('\\')
            lines.append(' ' * len(line))
        else:
            lines.append(' ' * len(line) if any(dead) else line)
    return '\n'.join(lines)


def closing(text, at):
    """The place of the bracket that closes the one at `at`."""
    pairs = {'(': ')', '{': '}'}
    depth, opens, closes = 0, text[at], pairs[text[at]]
    for i in range(at, len(text)):
        if text[i] == opens:
            depth += 1
        elif text[i] == closes:
            depth -= 1
            if depth == 0:
                return i
    raise Unfit('brackets do not close')


def body_of(code, name, line):
    """Where the function's braces are, in masked text, from the line that its profile gives."""
    start = 0
    for _ in range(line - 1):
        start = code.index('\n', start) + 1
    found = re.compile(r'\b' + re.escape(name) + r'\b').search(code, start)
    if not found or code.count('\n', start, found.start()) > 3:
        raise Unfit('its name is not where it should be')
    after = found.end()
    while code[after:after + 1].isspace() or code[after:after + 1] == ')':
        after += 1
    if code[after:after + 1] != '(':
        raise Unfit('no parameters follow its name')
    after = closing(code, after) + 1
    brace = code.find('{', after)
    # Only declarations of parameters, as they once were written, may stand between.
    if brace < 0 or re.search(r'[={}()]', code[after:brace].replace('__attribute__', '')):
        raise Unfit('no body follows')
    return brace, closing(code, brace)


# --- Faults ---

HELPER = '''
#ifndef PE_FAULT_HELPER
#define PE_FAULT_HELPER
%s
#endif
'''
OUTSIDE = '__attribute__((weak, noipa, no_instrument_function)) '
COUNTING = '''#include <stdio.h>
#include <stdlib.h>
__attribute__((weak)) unsigned long pe_fault_hits;
''' + OUTSIDE + '''int pe_fault_delay(void) { pe_fault_hits++; return 1; }
__attribute__((weak, destructor)) void pe_fault_report(void)
{
	FILE *file = pe_fault_hits ? fopen(getenv("PE_FAULT_HITS"), "a") : NULL;
	if (file) { fprintf(file, "%lu\\n", pe_fault_hits); fclose(file); pe_fault_hits = 0; }
}'''


def loop(every, turns):
    """Statements that take a while, every so many times."""
    gate = f'static unsigned pe_fault_at; if (++pe_fault_at % {every}u == 0) ' if every > 1 else ''
    return f'{gate}for (volatile unsigned pe_fault_i = 0; pe_fault_i < {turns}u; pe_fault_i++) ;'


def delaying(every, turns):
    return OUTSIDE + 'int pe_fault_delay(void) { ' + loop(every, turns) + ' return 1; }'


def place(code, span, kind, rng):
    """What is replaced in a body: (begin, end, before, after), with the fault as a call."""
    begin, end = span
    if kind == 'library':
        at = [m for m in LIBRARY_CALL.finditer(code, begin, end)]
        if not at:
            raise Unfit('it calls no library')
        chosen = rng.choice(at)
        return chosen.start(), closing(code, chosen.end() - 1) + 1, '(pe_fault_delay(), ', ')'
    if kind == 'condition':
        at = [m for m in CONDITION.finditer(code, begin, end)]
        if not at:
            return begin + 1, end, 'if (pe_fault_delay()) {', '}'
        opening = rng.choice(at).end() - 1
        return opening + 1, closing(code, opening), 'pe_fault_delay() && (', ')'
    return begin + 1, begin + 1, 'pe_fault_delay();', ''


def with_fault(text, brace, where, helper, inline=None):
    begin, end, before, after = where
    text = text[:begin] + (inline or before) + text[begin:end] + after + text[end:]
    if inline is None:
        text = text[:brace + 1] + ' extern int pe_fault_delay(void); ' + text[brace + 1:]
        text += HELPER % helper
    return text


def turn_ns(folder):
    """What one turn of the loop takes on this machine."""
    path = os.path.join(folder, f'turn-{os.getpid()}')
    with open(path + '.c', 'w') as file:
        file.write('#include <stdio.h>\n#include <time.h>\nint main(void) { for (int r = 0; r < 9; r++) { '
                   'clock_t t = clock(); for (unsigned n = 0; n < 100000u; n++) '
                   'for (volatile unsigned i = 0; i < 100u; i++) ; '
                   'printf("%f ", (double)(clock() - t) / CLOCKS_PER_SEC * 100); } }')
    run('gcc', '-O2', path + '.c', '-o', path)
    return statistics.median(float(word) for word in run(path).stdout.split())


def write_makefile(recipe, path):
    """Each source has its object, so that a commit compiles what it changes."""
    driver = recipe.get('driver')
    with open(path, 'w') as file:
        file.write(f'SOURCES := $(sort $(wildcard {recipe["sources"]}))\n'
                   f'SOURCES := $(filter-out {recipe.get("exclude", "")},$(SOURCES))\n'
                   f'OBJECTS := $(SOURCES:.c=.o){" driver.o" if driver else ""}\n'
                   f'bench: $(OBJECTS)\n\tgcc -o $@ $^ {recipe.get("libs", "")}\n'
                   f'%.o: %.c\n\tgcc -O2 -g -w {recipe.get("flags", "")} -MMD -c $< -o $@\n')
        if driver:
            file.write(f'driver.o: {os.path.join(HERE, driver)}\n'
                       f'\tgcc -O2 -g -w {recipe["flags"]} -MMD -c $< -o $@\n')
        file.write('-include $(OBJECTS:.o=.d)\n')


# --- One program ---

class Program:
    def __init__(self, options, clone, name):
        self.options, self.name, self.recipe = options, name, PROGRAMS[name]
        self.dir = os.path.join(options.dir, name)
        self.tree = os.path.join(self.dir, 'tree')
        self.trial = os.path.join(self.dir, 'trial')
        if not os.path.isdir(os.path.join(self.trial, '.git')):
            os.makedirs(self.dir, exist_ok=True)
            run('git', 'clone', '-q', clone, self.tree)
            run('git', 'clone', '-q', '-s', self.tree, self.trial)
            self.write_recipe()
        self.new = self.git('rev-parse', '--verify', self.recipe.get('new', 'origin/HEAD') + '^{commit}')
        line = self.git('rev-list', '--first-parent', f'--max-count={options.distance + 1}', self.new).split()
        self.base, self.apart = line[-1], len(line) - 1
        self.problems = []

    def git(self, *args, tree=None):
        author = ('-c', 'user.name=Faults', '-c', 'user.email=faults@localhost')
        return run('git', '-C', tree or self.tree, *author, *args).stdout.strip()

    def command(self):
        path = os.path.join(self.dir, 'input')
        return self.recipe['command'].replace('$IN', path).replace('$OUT', os.path.join(self.dir, 'output'))

    def write_recipe(self):
        recipe = self.recipe
        with open(os.path.join(self.dir, 'input'), 'w') as file:
            file.write(recipe['input']())
        write_makefile(recipe, os.path.join(self.dir, 'faults.mk'))
        with open(os.path.join(self.tree, 'perfevo.yml'), 'w') as file:
            file.write(f'build:\n  steps: make -s -f {self.dir}/faults.mk\n  clean: never\nbenchmarks:\n  case:\n'
                       f'    command: |\n      {self.command()}\n    warmup: 1\n    repeats: {self.options.repeats}\n'
                       'metrics:\n  max-rss: {judge: false}\n  allocated-bytes: {judge: false}\n'
                       f'  allocated-peak: {{judge: false}}\n  cpu: {{judge: true}}\ncache: {self.dir}/cache\n')

    def perfevo(self, *args):
        done = run(self.options.perfevo, *args, cwd=self.tree, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f'{self.name}: perfevo {" ".join(args)}: {done.stderr[-2000:]}')
        return json.loads(done.stdout)

    def profile(self, revision):
        tree = self.perfevo('profile', '--quiet', '-b', 'case', '--format', 'json', '--min-share', '0', revision)
        for node in tree['nodes']:
            node['at'] = tree['methods'][node['method']]
        return tree

    def compare(self, old, new):
        how = ['--counts'] if self.options.counts else []
        return self.perfevo('compare', *how, '--quiet', '-b', 'case', '--format', 'json', old, new)['benchmarks'][0]

    def functions(self):
        """What may be modified: executed in the baseline, and in the new version with a file of the repository."""
        def counted(tree):
            calls = {}
            for node in tree['nodes']:
                at = node['at']
                if at['kind'] == 'method' and len(at['name']) > 1:
                    key = (at['name'], at['component'])
                    calls[key] = calls.get(key, 0) + node.get('calls', 0)
            return calls
        base, new = self.profile(self.base), self.profile(self.new)
        self.duration_ns = self.time()
        lines = {(m['name'], m['component']): m['line'] for m in new['methods']}
        old, now = counted(base), counted(new)
        return [dict(name=key[0], file=key[1], line=lines[key], calls=now[key]) for key in sorted(now)
                if key in old and now[key] > 0 and lines[key] > 0
                and os.path.isfile(os.path.join(self.trial, key[1])) and not os.path.isabs(key[1])]

    def read(self, function):
        with open(os.path.join(self.trial, function['file']), encoding='latin-1') as file:
            return file.read()

    def write(self, tree, function, text):
        with open(os.path.join(tree, function['file']), 'w', encoding='latin-1') as file:
            file.write(text)

    def hits(self):
        """Build the trial and run it: how often the place is executed."""
        report = os.path.join(self.dir, 'hits')
        if os.path.exists(report):
            os.remove(report)
        env = dict(os.environ, PE_FAULT_HITS=report)
        for command in (f'make -s -f {self.dir}/faults.mk', f'{{ {self.command()}; }} >/dev/null'):
            done = run('sh', '-c', command, cwd=self.trial, env=env, check=False, errors='replace')
            if done.returncode != 0:
                raise Unfit(f'with the fault: {done.stderr[-300:]}')
        if not os.path.exists(report):
            raise Unfit('the place is not executed')
        with open(report) as file:
            return sum(int(line) for line in file)

    def time(self):
        """Processor time of the benchmark without a fault, in ns."""
        self.git('checkout', '-q', '-f', '--detach', self.new, tree=self.trial)
        run('make', '-s', '-f', os.path.join(self.dir, 'faults.mk'), cwd=self.trial)
        times = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run('sh', '-c', f'{{ {self.command()}; }} >/dev/null', cwd=self.trial)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return statistics.median(times) * 1e9

    def inject(self, function, kind, rng):
        """Commit the fault; what it is, as a dict."""
        self.git('checkout', '-q', '-f', '--detach', self.new, tree=self.trial)
        text = self.read(function)
        code = masked(text)
        brace, end = body_of(code, function['name'], function['line'])
        where = place(code, (brace, end), kind, rng)
        share = rng.uniform(*self.options.size)
        self.write(self.trial, function, with_fault(text, brace, where, COUNTING))
        try:
            hits = self.hits()
        finally:
            self.write(self.trial, function, text)
        each_ns = share * self.duration_ns / hits
        if hits * 2.0 > self.options.size[1] * self.duration_ns:
            raise Unfit('it is called too often for so small a fault')
        every = max(1, int(200 / each_ns + 1)) if each_ns < 20 else 1
        turns = max(1, round(each_ns * every / self.options.turn_ns))
        helper, inline = delaying(every, turns), '{ ' + loop(every, turns) + ' }' if kind == 'loop' else None
        self.git('checkout', '-q', '-f', '--detach', self.new)
        self.write(self.tree, function, with_fault(text, brace, where, helper, inline))
        self.git('commit', '-q', '-m', f'{kind} in {function["name"]}', '--', function['file'])
        line = code.count('\n', 0, where[0]) + 1
        return dict(function, kind=kind, hits=hits, share=share, at=line, commit=self.git('rev-parse', 'HEAD'))

    def injections(self, wanted):
        """So many faults, chosen by the seed; those that were made before are read."""
        path = os.path.join(self.dir, f'faults-{self.options.series}.json')
        made, rng = [], random.Random(f'{self.options.seed} {self.name}')
        if os.path.exists(path):
            with open(path) as file:
                made = json.load(file)
        if len(made) >= wanted:
            return made[:wanted]
        functions = self.functions()
        kinds = self.options.kinds
        pools = {kind: rng.sample(functions, len(functions)) for kind in kinds}
        used, number = set(), 0
        while number < wanted and any(pools.values()):
            kind = kinds[number % len(kinds)]
            if not pools[kind]:
                kind = max(kinds, key=lambda k: len(pools[k]))
            function = pools[kind].pop()
            if function['name'] in used:
                continue
            if number < len(made):
                # The same draws as before lead to the same faults: those are skipped by their number.
                if (made[number]['name'], made[number]['kind']) == (function['name'], kind):
                    used.add(function['name'])
                    number += 1
                continue
            try:
                own = random.Random(f'{self.options.seed} {self.name} {function["name"]} {kind}')
                fault = self.inject(function, kind, own)
            except Unfit as reason:
                self.problems.append(f'{kind} in {function["name"]}: {reason}')
                continue
            self.git('update-ref', f'refs/faults/{self.options.series}/{number}', fault['commit'])
            used.add(function['name'])
            made.append(fault)
            number += 1
            with open(path, 'w') as file:
                json.dump(made, file, indent=1)
        return made

    def unchanged(self, number):
        """The baseline with a function that nobody calls: another program that does the same."""
        ref = f'refs/faults/unchanged/{number}'
        known = run('git', '-C', self.tree, 'rev-parse', '-q', '--verify', ref, check=False).stdout.strip()
        if known:
            return known
        self.git('checkout', '-q', '-f', '--detach', self.base)
        paths = self.git('ls-files', *self.recipe['sources'].split()).split('\n')
        path = paths[number % len(paths)]
        with open(os.path.join(self.tree, path), 'a') as file:
            file.write(f'\n__attribute__((used)) static int pe_fault_nobody{number}(int x)\n'
                       f'{{ return x * {number + 3}; }}\n')
        self.git('commit', '-q', '-m', 'a function that nobody calls', '--', path)
        self.git('update-ref', ref, 'HEAD')
        return self.git('rev-parse', 'HEAD')


# --- Judging ---

def slower(answer):
    """Causes that make it slower, or execute more where no time is decided; not the small ones beside the greatest."""
    costs = [c['cost'] for c in answer['verdict']]
    cost = 'time' if 'time' in costs else 'instructions'
    causes = [c for c in answer['verdict'] if c['cost'] == cost and c['amount'] > 0]
    most = max((c['amount'] for c in causes), default=0)
    return [c for c in causes if c['amount'] >= MIN_SHARE * most]


def base_name(name):
    name = name or '?'
    return name.split('(')[0] or name


def judge(answer, fault):
    """All outputs of the verdict: whether each is the modified function, and its name."""
    outputs = []
    for cause in slower(answer):
        name = base_name(cause['blamed'])
        outputs.append(((name, cause['blamed_component'] or '') == (fault['name'], fault['file']), name))
    return outputs


def measures(answers):
    """The paper's, over the outputs of all faults."""
    outputs = [hit for answer in answers for hit, _ in answer]

    def share(part, whole):
        return f'{100 * part / whole:6.2f} %' if whole else '     -  '
    return (f'recall {share(sum(any(hit for hit, _ in answer) for answer in answers), len(answers))}  '
            f'precision {share(sum(outputs), len(outputs))}  outputs {len(outputs)}')


def said(output):
    return ', '.join(name if hit else f'{name} (FALSE)' for hit, name in output) or 'NOTHING'


def wall(answer):
    for metric in answer['metrics']:
        if metric['name'] == 'wall' and metric['relative'] is not None:
            return f'{100 * metric["relative"]:+5.1f} %'
    return '   ?   '


def examine(program, wanted, results, log):
    base = program.base
    log(f'== {program.name}: {base[:10]}, faults {program.apart} commits later in {program.new[:10]}')
    faults = program.injections(wanted)
    for reason in program.problems:
        log(f'   passed over: {reason}')
    for number in range(program.options.unchanged):
        answer = program.compare(base, program.unchanged(number))
        verdict = [(False, base_name(c['function'])) for c in answer['verdict']]
        results['unchanged'].append(len(verdict))
        log(f'   unchanged {number}: {wall(answer)}; verdict: {said(verdict)}')
    answer = program.compare(base, program.new)
    log(f'   {program.apart} commits alone: {wall(answer)}; verdict: '
        f'{", ".join(c["function"] or "?" for c in slower(answer)) or "nothing"}')
    for number, fault in enumerate(faults):
        began = time.time()
        answer = program.compare(base, fault['commit'])
        head = (f'   {number:2} {fault["kind"]:9} {fault["name"]:24} {fault["hits"]:9} times, '
                f'{100 * fault["share"]:4.1f} %')
        if answer['critical'] is None and not program.options.counts:
            log(f'{head}: {answer["problem"]}')
            continue
        verdict = judge(answer, fault)
        results['faults'].append((fault['kind'], verdict))
        log(f'{head}, wall {wall(answer)}; verdict: {said(verdict)} [{time.time() - began:.0f} s]')


def report(results, log):
    for kind in (*KINDS, 'all'):
        some = [verdict for of, verdict in results['faults'] if kind in (of, 'all')]
        if some:
            log(f'  {kind:10} {len(some):3} faults  {measures(some)}')
    log(f'unchanged baselines: {len(results["unchanged"])}, causes in verdicts {sum(results["unchanged"])}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('build', help='build directory of perfevo')
    parser.add_argument('clones', nargs='+', help='NAME=PATH or PATH/NAME: ' + ', '.join(PROGRAMS))
    parser.add_argument('--dir', required=True, help='where everything is kept')
    parser.add_argument('--seed', default='1')
    parser.add_argument('--faults', type=int, default=12, help='for each program')
    parser.add_argument('--repeats', type=int, default=5, help='timed runs of each revision')
    parser.add_argument('--distance', type=int, default=20, help='commits between baseline and fault')
    parser.add_argument('--unchanged', type=int, default=1, help='unchanged baselines for each program')
    parser.add_argument('--kinds', type=lambda text: text.split(','), default=list(KINDS),
                        help=f'of {",".join(KINDS)}')
    parser.add_argument('--size', default=SIZE, help=f'of a fault, in per cent of the benchmark\'s time: from,to ({SIZE})')
    parser.add_argument('--counts', action='store_true', help='compare exact counts alone: quick, and without graphs')
    options = parser.parse_args()
    if not set(options.kinds) <= set(KINDS):
        parser.error(f'--kinds: {",".join(options.kinds)}')
    # Faults of one size are those that they were before there were others.
    options.series = options.seed if options.size == SIZE else f'{options.seed}-{options.size.replace(",", "-")}'
    options.size = [float(part) / 100 for part in options.size.split(',')]
    options.perfevo = os.path.abspath(os.path.join(options.build, 'cmd/perfevo'))
    options.dir = os.path.abspath(options.dir)
    os.makedirs(options.dir, exist_ok=True)
    options.turn_ns = turn_ns(options.dir)
    results = dict(faults=[], unchanged=[])

    def log(line):
        print(line, flush=True)
    for clone in options.clones:
        name, _, path = clone.rpartition('=')
        name = name or os.path.basename(os.path.normpath(path))
        if name not in PROGRAMS:
            sys.exit(f'faults: {name} is none of {", ".join(PROGRAMS)}')
        examine(Program(options, os.path.abspath(path), name), options.faults, results, log)
    report(results, log)


if __name__ == '__main__':
    main()
