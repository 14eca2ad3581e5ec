#!/usr/bin/env python3
"""Write the tables of docs/config.md from configs/perfevo.schema.json; with --check, fail where they differ.

A table's heading names mappings, and it lists the keys that all of these have, but for those of a table that names more
mappings. A heading without names is for the keys at the top that have no table.
"""
import itertools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
PAGE = ROOT / "docs/config.md"
SCHEMA = json.loads((ROOT / "configs/perfevo.schema.json").read_text())


def resolve(node):
	return SCHEMA["definitions"][node["$ref"].rsplit("/", 1)[1]] if "$ref" in node else node


def keys_of(node, path=""):
	"""The keys below a node of the schema, by paths: "benchmarks.NAME.command"."""
	node = resolve(node)
	for name, below in node.get("properties", {}).items():
		yield path + name, resolve(below)
		yield from keys_of(below, f"{path}{name}.")
	for other in node.get("allOf", []) + node.get("oneOf", []):
		yield from keys_of(other, path)
	for named in ("additionalProperties", "items"):
		if isinstance(node.get(named), dict):
			yield from keys_of(node[named], path + "NAME.")


KEYS = dict(keys_of(SCHEMA))


def rows_of(mappings, tables):
	"""The keys of a table. One of a mapping without a table stands there as "notify.mail"."""
	def is_tabled(key):
		return any(name == key or name.startswith(key + ".") for names in tables for name in names)

	def below(path):
		for key, node in KEYS.items():
			name = key[len(path):]
			if key.startswith(path) and "." not in name:
				inner = [] if is_tabled(key) else list(below(key + "."))
				yield from [(f"{name}.{other}", its) for other, its in inner] or [(name, node)]

	if not mappings:
		return {name: node for name, node in below("") if "." not in name and not is_tabled(name)}
	all_rows = [dict(below(name + ".")) for name in mappings]
	larger = [rows_of(names, tables) for names in tables
		  if len(names) > len(mappings) and set(names) & set(mappings)]
	return {name: node for name, node in all_rows[0].items()
		if all(rows.get(name) == node for rows in all_rows) and not any(name in rows for rows in larger)}


def written(value):
	if isinstance(value, list):
		return "[" + ", ".join(map(written, value)) + "]"
	return str(value).lower() if isinstance(value, bool) else str(value)


def cells(node):
	"""A key's default and description."""
	text = node["description"]
	for words, target in node.get("links", {}).items():
		text = re.sub(rf"`?{re.escape(words)}`?", lambda found, to=target: f"[{found[0]}]({to})", text, count=1)
	default = f" `{written(node['default'])}`" if "default" in node else ""
	return f"{default} | {text}"


def lines(rows):
	"""The lines of a table; keys of which the same is said share one."""
	for said, keys in itertools.groupby(rows.items(), lambda key: cells(key[1])):
		yield f"| {', '.join(f'`{name}`' for name, _ in keys)} |{said} |\n"


def main():
	old = PAGE.read_text()
	table = re.compile(r"^(\| key\b(.*?)\|.*\n\|[ -|]*\n)((?:\|.*\n)*)", re.MULTILINE)
	tables = [re.findall("`(.*?)`", found[2]) for found in table.finditer(old)]
	new = table.sub(lambda found: found[1] + "".join(lines(rows_of(re.findall("`(.*?)`", found[2]), tables))), old)
	for key, node in KEYS.items():
		for word in node.get("enum", []):
			if isinstance(word, str) and f"`{word}`" not in cells(node):
				return f"configs/perfevo.schema.json: {key} does not explain `{word}`"
	if "--check" not in sys.argv:
		PAGE.write_text(new)
	return "docs/config.md differs from the schema: run scripts/config.py" if "--check" in sys.argv and old != new else 0


sys.exit(main())
