#!/bin/sh
# What leads nowhere is found, and nothing else: broken_links.sh NODE CHECK-DOCS.MJS
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/docs" "$dir/src"
: >"$dir/src/main.c"
cat >"$dir/README.md" <<'END'
# Words, and `more`: two

[one](docs/page.md) [two](docs/page.md#of-it-1) [three](#words-and-more-two) [away](https://example.org/none#at-all)
[four](docs/gone.md) [five](docs/page.md#gone)
`src/main.c` `src/gone.c -o x` `elsewhere/gone.c` `src/<name>.c` `src/x.c`
```sh
cat src/gone.c # [six](docs/gone.md)
```
END
printf '# Of it\n\n## Of it\n\n[up](../README.md#gone)\n' >"$dir/docs/page.md"
"$1" "$2" "$dir" >"$dir/found" && { echo 'broken links pass'; exit 1; }
diff "$dir/found" - <<'END'
README.md:4: link to 'docs/gone.md': there is no such file
README.md:4: link to 'docs/page.md#gone': there is no such heading
README.md:5: there is no 'src/gone.c'
docs/page.md:5: link to '../README.md#gone': there is no such heading
END
