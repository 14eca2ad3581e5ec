#!/usr/bin/env python3
"""How fast `perfevo import` reads profiles of other tools: megabytes a second of its processor time, and its memory.

  bench/import.py BUILD_DIR [MB [FORMAT...]]      100 MB, all formats

The profiles are made, always the same ones: a program of 20,000 contexts of 4,000 functions, up to 60 deep. The bars are
100 MB/s on folded stacks and 50 MB/s on JSON, in an optimised build; the best of three counts.
"""
import json
import os
import random
import sys
import tempfile

FUNCTIONS, CONTEXTS, DEEPEST = 4000, 20000, 60
WORDS = 'parse table read std::vector<int> detail hash probe write node_allocator walk'.split()
rng = random.Random(20130927)
names = ['::'.join(rng.choices(WORDS, k=rng.randint(1, 3))) + f'::f{i}' for i in range(FUNCTIONS)]
paths = [(0,)]  # of functions, outermost first; most contexts are below one of the last ones
parents = [None]
for number in range(1, CONTEXTS):
    parent = rng.randrange(max(0, number - 40), number)
    if rng.random() < .005 or len(paths[parent]) >= DEEPEST:
        parent = 0
    parents.append(parent)
    paths.append(paths[parent] + (rng.randrange(FUNCTIONS),))


def cached(text):
    """What is written of a context is made once."""
    made = {}
    return lambda context: made.get(context) or made.setdefault(context, text(paths[context]))


def draws(one, head='', tail=''):
    """A profile of randomly drawn contexts, each as `one` writes it."""
    def make(wanted):
        yield head
        while wanted > 0:
            text = one(rng.randrange(CONTEXTS))
            wanted -= len(text)
            yield text
        yield tail
    return make


def chrome():
    now = 12512565519

    def text(context):
        nonlocal now
        path, begin = paths[context], now
        now += 2 * len(path) + 3
        return ''.join(f'{{"args":{{"data":{{"frame":"0x1","lineNumber":{f % 20 * 30},"url":"file:///src/part{f // 20}.js"}}}},'
                       f'"cat":"devtools.timeline","dur":{2 * (len(path) - i)},"name":"{names[f]}","ph":"X","pid":4321,'
                       f'"tid":4321,"ts":{begin + i}}},\n' for i, f in enumerate(path))
    return text


def callgrind(wanted):
    yield '# callgrind format\npositions: line\nevents: Ir\n'
    turn = 0
    while wanted > 0:
        for f in range(FUNCTIONS):
            text = (f'fl=({f // 20 + 1}) src/part{f // 20}.cc\nfn=({f + 1}) {names[f]}\n' if turn == 0 else
                    f'fl=({f // 20 + 1})\nfn=({f + 1})\n')
            text += ''.join(f'+{i} {rng.randrange(5000)}\n' for i in range(12))
            for callee in (2 * f + 1, 2 * f + 2):
                if turn > 0 and callee < FUNCTIONS:
                    text += f'cfn=({callee + 1})\ncalls=3 7\n{10 * f} 100000\n'
            wanted -= len(text)
            yield text + '\n'
        turn += 1


def cpuprofile(wanted):
    children = [[] for _ in range(CONTEXTS)]
    for context in range(1, CONTEXTS):
        children[parents[context]].append(context + 1)
    nodes = [{'id': c + 1, 'callFrame': {'functionName': names[p[-1]], 'scriptId': str(p[-1] // 20), 'url':
              f'file:///src/part{p[-1] // 20}.js', 'lineNumber': p[-1] % 20 * 30, 'columnNumber': 4}, 'hitCount': 1,
              'children': children[c]} for c, p in enumerate(paths)]
    samples = rng.choices(range(1, CONTEXTS + 1), k=wanted // 10)
    json_text = json.dumps({'nodes': nodes, 'startTime': 1000, 'endTime': 2000, 'samples': samples, 'timeDeltas':
                            rng.choices(range(90, 150), k=len(samples))}, separators=(',', ':'))
    yield json_text


def speedscope(wanted):
    samples = []
    while wanted > 0:
        samples.append(paths[rng.randrange(CONTEXTS)])
        wanted -= 5 * len(samples[-1]) + 5
    yield json.dumps({'$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': [
        {'name': name, 'file': f'src/part{i // 20}.cc', 'line': i % 20 * 30 + 1} for i, name in enumerate(names)]},
        'profiles': [{'type': 'sampled', 'name': 'main', 'unit': 'milliseconds', 'startValue': 0, 'endValue': 1000,
                      'samples': samples, 'weights': [.25] * len(samples)}]}, separators=(',', ':'))


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """A field of protocol buffers: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pprof(wanted):
    yield b''.join(field(1, field(1, a) + field(2, b)) for a, b in ((1, 2), (3, 4)))
    one = cached(lambda path: field(2, field(1, b''.join(varint(f + 1) for f in reversed(path))) +
                                    field(2, varint(1) + varint(10000000))))
    yield from draws(one, b'', b'')(wanted)
    for f in range(FUNCTIONS):
        yield field(4, field(1, f + 1) + field(4, field(1, f + 1) + field(2, f % 20 * 30 + 7)))
        yield field(5, field(1, f + 1) + field(2, f + 5))
    for text in ['', 'samples', 'count', 'cpu', 'nanoseconds'] + names:
        yield field(6, text.encode())


FORMATS = {
    'folded': draws(cached(lambda path: ';'.join(names[f] for f in path) + ' 7\n')),
    'perf-script': draws(cached(lambda path: 'program  4321/4322 [001] 12512.000042:    1000000 cpu-clock:u: \n' + ''.join(
        f'\t    55d0c4{f:06x} {names[f]}+0x1f (/usr/lib/libprogram.so.1)\n' for f in reversed(path)) + '\n')),
    'callgrind': callgrind,
    'cpuprofile': cpuprofile,
    'chrome': draws(chrome(), '{"traceEvents":[\n', '{}]}\n'),
    'speedscope': speedscope,
    'pprof': pprof,
}


def spent(perfevo, path):
    """Seconds of its processor, and the most memory in MB, of an import that prints next to nothing."""
    pid = os.posix_spawn(perfevo, [perfevo, 'import', '--print', '--methods', '--quiet', path], os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f'import: perfevo could not read {path}')
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3


def main():
    if len(sys.argv) < 2 or not set(sys.argv[3:]) <= set(FORMATS):
        sys.exit(__doc__)
    perfevo = os.path.join(sys.argv[1], 'cmd/perfevo')
    megabytes = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[3:] or FORMATS:
            path = os.path.join(folder, 'profile')
            with open(path, 'wb') as file:
                for part in FORMATS[name](megabytes * 1000000):
                    file.write(part if isinstance(part, bytes) else part.encode())
            size = os.path.getsize(path) / 1e6
            best, memory = min(spent(perfevo, path) for _ in range(3))
            print(f'{name:12} {size:7.1f} MB  {size / best:6.0f} MB/s  {memory:5.0f} MB of memory', flush=True)


if __name__ == '__main__':
    main()
