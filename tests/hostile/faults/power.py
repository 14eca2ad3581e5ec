"""What a power cut may leave of files that were not synced (docs/security.md, P3).

shim.c says what perfevo did since the phase began (FAULT_POWER). After everything was killed, lose() takes back, in any
subset, what no fsync made durable: a file's content (the file is empty, cut off, or has zeros or noise for bytes), and names
(a file that was made, linked or renamed is not there, or under its old name; one that was removed or replaced is back). Names
of one file come back in the order in which they went. The database is left alone: store.power cuts its files.
"""
import os


class Name:
	def __init__(self, fields):
		self.what, self.folder, self.stash, self.path = fields[0], int(fields[1]), fields[2], fields[3]
		self.old = fields[4] if self.what == "R" else None

	def paths(self):
		return {self.path, self.old} - {None}

	def take_back(self, stashes):
		stash = os.path.join(stashes, self.stash)
		if self.what == "C" and os.path.lexists(self.path):
			os.unlink(self.path)
		elif self.what == "M" and os.path.isdir(self.path) and not os.listdir(self.path):
			os.rmdir(self.path)
		elif self.what == "R" and os.path.lexists(self.path) and os.path.isdir(os.path.dirname(self.old)):
			os.rename(self.path, self.old)
		if self.what in "RU" and os.path.exists(stash) and not os.path.lexists(self.path) and os.path.isdir(os.path.dirname(self.path)):
			os.link(stash, self.path)


def read(stashes):
	"""({inodes with content that is not synced}, [names that are not durable, oldest first])"""
	written, names = set(), []
	try:
		with open(stashes + "/log", encoding="utf-8", errors="surrogateescape") as log:
			lines = [line.rstrip("\n").split("\t") for line in log]
	except FileNotFoundError:
		lines = []
	for fields in lines:
		if fields[0] == "W":
			written.add(int(fields[1]))
		elif fields[0] == "S":
			written.discard(int(fields[1]))
		elif fields[0] == "D":
			names = [name for name in names if name.folder != int(fields[1])]
		else:
			names.append(Name(fields))
	return written, names


def damage(path, chance):
	size = os.path.getsize(path)
	how = chance.randrange(4)
	with open(path, "r+b") as file:
		if how == 0:
			file.truncate(0)
		elif how == 1:
			file.truncate(chance.randint(0, size))
		else:
			at = chance.randint(0, size) // 512 * 512
			file.seek(at)
			file.write(bytes(size - at) if how == 2 else chance.randbytes(size - at))


def lose(top, stashes, chance):
	"""What was lost, a line each."""
	written, names = read(stashes)
	lost, stays = [], set()
	for name in reversed(names):
		if name.paths() & stays or chance.random() < 0.5:
			stays |= name.paths()
		else:
			name.take_back(stashes)
			lost.append(f"{name.what} {name.path}")
	for folder, _, files in os.walk(top):
		for file in sorted(files):
			path = os.path.join(folder, file)
			if not os.path.islink(path) and os.stat(path).st_ino in written and chance.random() < 0.5:
				damage(path, chance)
				lost.append(f"content {path}")
	return lost
