#!/usr/bin/env python3
"""Write docs/config.md's tables and the help of the config from configs/perfevo.schema.json; with --check, fail where they differ.

A table's heading names mappings, and it lists the keys that all of these have, but for those of a table that names more
mappings. A heading without names is for the keys at the top that have no table.
"""
import itertools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
PAGE, HELP = ROOT / "docs/config.md", ROOT / "cmd/help/list_keys.txt"
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


def help_of(node):
	"""The text of a key with its type, which `allOf` refers to, and its default."""
	type_of = [node.get("type"), *(resolve(other).get("title") for other in node.get("allOf", []))][-1]
	if isinstance(type_of, list):
		type_of = " or ".join(type_of)
	kind = [type_of] if type_of and type_of != "object" else []
	kind += [f"default {written(node['default'])}"] if "default" in node else []
	return node["description"].replace("`", "") + (f" ({', '.join(kind)})" if kind else "")


def unexplained():
	"""The first word of an enumeration that no text explains."""
	return next((f"configs/perfevo.schema.json: {key} does not explain `{word}`"
		     for key, node in KEYS.items() for word in node.get("enum", [])
		     if isinstance(word, str) and f"`{word}`" not in cells(node)), None)


def main():
	old = PAGE.read_text()
	table = re.compile(r"^(\| key\b(.*?)\|.*\n\|[ -|]*\n)((?:\|.*\n)*)", re.MULTILINE)
	tables = [re.findall("`(.*?)`", found[2]) for found in table.finditer(old)]
	new = {PAGE: table.sub(lambda found: found[1] + "".join(
		lines(rows_of(re.findall("`(.*?)`", found[2]), tables))), old),
	       HELP: "perfevo list keys\n\nKeys\n\n" + "".join(
		f"$ {key}\n{help_of(node)}\n" for key, node in KEYS.items())}
	wrong = unexplained()
	for path, text in new.items():
		if "--check" not in sys.argv:
			path.write_text(text)
		elif path.read_text() != text:
			wrong = f"{path.relative_to(ROOT)} differs from the schema: run scripts/config.py"
	return wrong


sys.exit(main())
