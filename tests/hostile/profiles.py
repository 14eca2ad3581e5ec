#!/usr/bin/env python3
"""Profiles that are damaged, or made to cost: each is answered, in memory in proportion to its size (docs/security.md, P4).

	profiles.py PERFEVO FOLDER SAMPLES [--every K]

SAMPLES is a folder of good profiles of all formats. Each is cut short, has bytes flipped, pieces doubled and numbers made
huge; then come files that are small and would grow. Each is read by 'perfevo import --print' in 1 GiB of memory.
answers.py says what an answer is.
"""
import gzip
import os
import random
import re
import struct
import sys
import zlib

import answers


def damaged(data, chance):
	"""Versions of a good profile."""
	n = len(data)
	for part in (0, 1, n // 7, n // 2, n - n // 5, n - 1):
		yield data[:part]
	yield data + data
	yield data[n // 2:] + data[:n // 2]
	yield b"\xef\xbb\xbf" + data
	yield data.replace(b"\n", b"\r\n")
	yield data.replace(b"\n", b"")
	yield data.replace(b"main", b"\x1b]0;title\x07\xc2\x9b31m\xe2\x80\xae\nperfevo: all is well")
	for number in (b"-1", b"0", b"1e309", b"99999999999999999999", b"nan", b"4294967296", b"9223372036854775807"):
		yield re.sub(rb"\b\d+\b", lambda m, number=number: number if chance.random() < .2 else m[0], data)
	for _ in range(6):
		flipped = bytearray(data)
		for _ in range(1 + n // 200):
			flipped[chance.randrange(n)] ^= 1 << chance.randrange(8)
		yield bytes(flipped)
	yield gzip.compress(data)[:-9]
	yield gzip.compress(gzip.compress(data))


def varint(value):
	out = b""
	while value >= 128:
		out += bytes([value & 127 | 128])
		value >>= 7
	return out + bytes([value])


def field(number, data):
	return varint(number << 3 | 2) + varint(len(data)) + data


def pprof_bomb(samples, locations, lines):
	"""Each sample names each location, each of which has as many inlined functions."""
	strings = [b"", b"cpu", b"nanoseconds"] + [b"f%d" % i for i in range(lines)]
	out = field(1, varint(1 << 3) + varint(1) + varint(2 << 3) + varint(2))
	for i in range(locations):
		out += field(4, varint(1 << 3) + varint(i + 1) + b"".join(
			field(4, varint(1 << 3) + varint(j + 1)) for j in range(lines)))
	for i in range(lines):
		out += field(5, varint(1 << 3) + varint(i + 1) + varint(2 << 3) + varint(i + 3))
	stack = b"".join(varint(1 + (i % locations)) for i in range(locations))
	return out + field(2, field(1, stack) + field(2, varint(1))) * samples + b"".join(field(6, s) for s in strings)


def gzipped_zeros(mebibytes):
	"""Pieces that are equal and stand alone: deflated once."""
	piece = b"\0" * (1 << 20)
	deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
	deflated = deflate.compress(piece) + deflate.flush(zlib.Z_FULL_FLUSH)
	crc = 0
	for _ in range(mebibytes):
		crc = zlib.crc32(piece, crc)
	return (b"\x1f\x8b\x08" + b"\0" * 6 + b"\x03" + deflated * mebibytes + b"\x03\0" +
		struct.pack("<II", crc, mebibytes << 20 & 0xffffffff))


def costly():
	yield pprof_bomb(1000, 100, 100)
	yield gzipped_zeros(1 << 10)
	yield gzip.compress(b"a;b;c 1\n" * (8 << 20), 9)
	yield gzip.compress(b"".join(b"f%d;g%d 1\n" % (i, i) for i in range(300000)))
	yield b";".join([b"f"] * 1000000) + b" 1\n"
	yield b"".join(b"%s 1\n" % b";".join([b"f%d" % (i * j % 9973) for j in range(300)]) for i in range(3000))
	yield b'{"nodes":[' + b"[" * 500000
	yield b'{"traceEvents":[' + b",".join(b'{"ph":"B","ts":%d,"pid":1,"tid":1,"name":"f"}' % i for i in range(200000)) + b"]}"
	yield b'{"traceEvents":[{"name":"' + b"x" * (20 << 20) + b'"}]}'
	yield b'{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[' + b",".join(
		[b'{"name":"f"}'] * 200000) + b']},"profiles":[]}'
	yield b"# callgrind format\nevents: Ir\n\nfn=(1) main\n" + b"calls=99999999999999999999 1\n1 1\n" * 1000
	yield b"# callgrind format\nevents: " + b"E " * 100000 + b"\n"
	yield b"a;" * 2000000


def main():
	perfevo, folder, samples = (os.path.abspath(path) for path in sys.argv[1:4])
	every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
	chance = random.Random(16)
	cases = []
	for name in sorted(name for name in os.listdir(samples) if not name.endswith((".c", ".sh")) and os.path.isfile(f"{samples}/{name}")):
		with open(f"{samples}/{name}", "rb") as file:
			data = file.read()
		# What is large is damaged no differently.
		cases += [(f"{name}, {i}", version) for i, version in enumerate(damaged(data[:1 << 18], chance))]
	cases = cases[::every] + [(f"costly, {i}", data) for i, data in enumerate(costly())]
	workers = [f"{folder}/{i}" for i in range(os.cpu_count())]
	for worker in workers:
		answers.make_repository(perfevo, worker, "build: 'true'\nbenchmarks:\n  hello: {command: echo hello}\n")

	def attempt(at, case):
		with open(at + "/repo/profile", "wb") as file:
			file.write(case[1])
		return answers.wrong_with(perfevo, at, ["import", "--print", "profile"])

	bad = answers.try_all(workers, cases, attempt)
	for case, answer in bad:
		print(case[0], "->", answer)
	print(f"{len(cases)} profiles, {len(bad)} without an answer", file=sys.stderr)
	return 1 if bad else 0


sys.exit(main())
