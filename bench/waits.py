#!/usr/bin/env python3
"""Does `perfevo compare` name the function that makes a program wait?

Four programs of threads, children and sockets (bench/waits/) get faults that cost wall time, each as a commit of its own on
the same baseline, and changes that cost nothing. The first cause of the verdict is compared with the function that was
changed; of a change that costs nothing the verdict must have no cause. Results stay below --dir: a second run measures only
what is missing.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'waits')

PROGRAMS = {
    'pool': 'gcc -O1 -g -pthread pool.c -o pool',
    'stages': 'g++ -O1 -g -pthread stages.cpp -o stages',
    'walk': 'gcc -O1 -g walk.c -o walk && gcc -O1 -g helper.c -o helper',
    'net': 'gcc -O1 -g net.c -o net',
}

# Program, file, what it is, the function that is to be named, text before and after.
FAULTS = [
    ('pool', 'pool.c', 'a lock held longer', 'account',
     '+= work(digest, 20000) % 7;', '+= work(digest, 20000) % 7;\n\tnap(400);'),
    ('pool', 'pool.c', 'a lock more', 'fetch',
     'nap(3000);', 'static pthread_mutex_t line = PTHREAD_MUTEX_INITIALIZER;\n\tpthread_mutex_lock(&line);\n'
     '\tnap(1200);\n\tpthread_mutex_unlock(&line);\n\tnap(1800);'),
    ('pool', 'pool.c', 'a wake-up lost for a while', 'pop',
     'while (queue->n == 0)\n\t\tpthread_cond_wait(&queue->filled, &queue->lock);',
     'while (queue->n == 0) {\n\t\tpthread_mutex_unlock(&queue->lock);\n\t\tnap(60000);\n'
     '\t\tpthread_mutex_lock(&queue->lock);\n\t}'),
    ('pool', 'pool.c', 'a shorter queue', 'open_queue', 'queue->room = 32;', 'queue->room = 1;'),
    ('pool', 'pool.c', 'one thread gets most of the work', 'choose',
     'job % WORKERS', 'job % 8 == 1 ? 0 : job % WORKERS'),
    ('stages', 'stages.cpp', 'a lock held longer', 'Log::add',
     'sum += work(item, 30000);', 'sum += work(item, 30000);\n\t\tnap(500);'),
    ('stages', 'stages.cpp', 'a sleep', 'shape', 'nap(2400);', 'nap(2900);'),
    ('stages', 'stages.cpp', 'more work in the slowest stage', 'shape',
     'work(item, 100000)', 'work(item, 600000)'),
    ('stages', 'stages.cpp', 'another stage becomes the slowest', 'parse', 'nap(1000);', 'nap(3100);'),
    ('stages', 'stages.cpp', 'a wake-up lost for a while', 'Channel::take',
     'items.pop_front();\n', 'items.pop_front();\n\t\tif (item % 4 == 0) {\n\t\t\theld.unlock();\n'
     '\t\t\tnap(4000);\n\t\t\theld.lock();\n\t\t}\n'),
    ('walk', 'walk.c', 'more children', 'visit', 'number % 4 == 0', 'number % 4 != 1'),
    ('walk', 'helper.c', 'a slower child', 'digest', '3000000', '6000000'),
    ('walk', 'helper.c', 'a child that waits longer', 'look_up', 'usleep(3000)', 'usleep(9000)'),
    ('walk', 'walk.c', 'a sleep', 'note', 'char text[32];\n', 'char text[32];\n\n\tusleep(7000);\n'),
    ('walk', 'walk.c', 'an fsync more', 'note', '\t\tabort();', '\t\tabort();\n\tfsync(list_fd);\n\tusleep(2500);'),
    ('net', 'net.c', 'a slower server', 'look_up', 'work(key, 600000)', 'work(key, 1800000)'),
    ('net', 'net.c', 'a disk that takes longer', 'load', 'usleep(1500)', 'usleep(2500)'),
    ('net', 'net.c', 'a smaller buffer', 'send_all', 'n - done, MSG_NOSIGNAL',
     'n - done < 16 ? n - done : 16, MSG_NOSIGNAL'),
    ('net', 'net.c', 'an fsync more', 'keep_record',
     'fprintf(file, "%u\\n", key);', 'fprintf(file, "%u\\n", key);\n\tfflush(file);\n\tfsync(fileno(file));'),
    ('net', 'net.c', 'a second question', 'ask', 'read_all(fd, answer, sizeof(answer));',
     'read_all(fd, answer, sizeof(answer));\n\tif (key % 5 == 0) {\n\t\tsend_all(fd, &key, sizeof(key));\n'
     '\t\tread_all(fd, answer, sizeof(answer));\n\t}'),
]

# Changes that cost nothing: a function that nobody calls, a check that never holds, another order of what is the same.
IDLE = 'int idle_%d(int i);\nint idle_%d(int i)\n{\n\treturn i * %d + 7;\n}\n'
SAME = [
    ('pool', 'pool.c', 'head + 1) % SLOTS', 'head + 1) & (SLOTS - 1)'),
    ('pool', 'pool.c', 'if (job % 60 == 59)', 'if (job % 60 >= 59)'),
    ('stages', 'stages.cpp', 'unsigned item = items.front();', 'const unsigned item = items.at(0);'),
    ('stages', 'stages.cpp', 'i < items; i++)\n\t\tsum', 'i != items; i++)\n\t\tsum'),
    ('walk', 'walk.c', 'number % 4 == 0', '(number & 3) == 0'),
    ('walk', 'helper.c', 'argc > 1 ?', 'argc >= 2 ?'),
    ('net', 'net.c', 'if (file == NULL)', 'if (!file)'),
    ('net', 'net.c', '(int)(key & 0x7f)', '(int)(key % 128)'),
]
IDLES = 3  # of each program


def run(*args, **options):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


class Program:
    def __init__(self, options, name):
        self.options, self.name = options, name
        self.tree = os.path.join(options.dir, name)
        if not os.path.isdir(os.path.join(self.tree, '.git')):
            self.make()

    def git(self, *args):
        return run('git', '-C', self.tree, '-c', 'user.name=Waits', '-c', 'user.email=waits@localhost', *args,
                   check=True).stdout.strip()

    def make(self):
        os.makedirs(self.tree)
        self.git('init', '-q', '-b', 'main')
        for name in ('walk.c', 'helper.c') if self.name == 'walk' else (self.file(),):
            with open(os.path.join(HERE, name)) as source, open(os.path.join(self.tree, name), 'w') as copy:
                copy.write(source.read())
        with open(os.path.join(self.tree, 'perfevo.yml'), 'w') as file:
            file.write(f'build: {PROGRAMS[self.name]}\nbenchmarks:\n  {self.name}: {{command: [./{self.name}], '
                       f'warmup: 1, allocations: false, repeats: {self.options.repeats}}}\n'
                       'run: {instructions: off}\nmetrics: {cpu: {judge: false}, max-rss: {judge: false}}\n'
                       f'profile: {{runs: {self.options.profiled}}}\n')
        self.git('add', '.')
        self.git('commit', '-q', '-m', 'baseline')

    def file(self):
        return self.name + ('.cpp' if self.name == 'stages' else '.c')

    def commit(self, branch, file, change):
        """The baseline with a change of one file, kept under a branch."""
        if run('git', '-C', self.tree, 'rev-parse', '-q', '--verify', branch).returncode == 0:
            return branch
        self.git('checkout', '-q', '-B', 'making', 'main')
        path = os.path.join(self.tree, file)
        with open(path) as source:
            before = source.read()
        after = change(before)
        assert after != before, f'{self.name}: {branch} changes nothing'
        with open(path, 'w') as source:
            source.write(after)
        self.git('commit', '-q', '-a', '-m', branch)
        self.git('branch', branch)
        self.git('checkout', '-q', 'main')
        return branch

    def compare(self, branch, base='main'):
        done = run(self.options.perfevo, 'compare', '-q', '--format', 'json', base, branch, cwd=self.tree)
        if done.returncode not in (0, 1):
            raise RuntimeError(f'{self.name}: {branch}: {done.stderr[-2000:]}')
        return json.loads(done.stdout)['benchmarks'][0]


def causes(answer):
    return [cause['blamed'].split('(')[0] or cause['blamed'] for cause in answer['verdict'] or []
            if cause['blamed'] and cause['cost'] == 'time']


def wall(answer):
    for value in answer['metrics']:
        if value['name'] == 'wall':
            return f'{100 * value["relative"]:+6.1f} %'
    return '      ?  '


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--perfevo', default='perfevo')
    parser.add_argument('--dir', required=True, help='where everything is kept')
    parser.add_argument('--only', default='', help='programs, by commas')
    parser.add_argument('--repeats', type=int, default=12)
    parser.add_argument('--profiled', type=int, default=6, help='sampled runs of each side')
    options = parser.parse_args()
    options.perfevo, options.dir = os.path.abspath(options.perfevo), os.path.abspath(options.dir)
    chosen = options.only.split(',') if options.only else list(PROGRAMS)
    first = faults = quiet = same = 0
    for name in chosen:
        program = Program(options, name)
        for number, (_, file, what, function, old, new) in enumerate(FAULTS):
            if FAULTS[number][0] != name:
                continue
            answer = program.compare(program.commit(f'fault-{number}', file, lambda t: t.replace(old, new, 1)))
            named = causes(answer)
            hit = named[:1] == [function]
            faults, first = faults + 1, first + hit
            print(f'{name:7} {what:34} {wall(answer)} {function:14} {"first" if hit else "MISSED"}: '
                  f'{", ".join(named) or "nothing"}', flush=True)
        changes = [(file, lambda t, o=old, n=new: t.replace(o, n, 1)) for of, file, old, new in SAME if of == name]
        changes += [(program.file(), lambda t, i=i: t + IDLE % (i, i, i + 3)) for i in range(IDLES)]
        for number, (file, change) in enumerate(changes):
            answer = program.compare(program.commit(f'same-{number}', file, change))
            named = causes(answer)
            same, quiet = same + 1, quiet + (not named)
            print(f'{name:7} costs nothing {"":20} {wall(answer)} {"":14} {"quiet" if not named else "ALARM"}: '
                  f'{", ".join(named) or "nothing"}', flush=True)
    print(f'{first} of {faults} faults named first, {quiet} of {same} baselines without a cause')
    return 0 if first >= 0.9 * faults and quiet == same else 1


if __name__ == '__main__':
    sys.exit(main())
