# Generated and vendored files are left out, as .gitattributes of the newer commit says.
function_of()
{
	mkdir -p "$(dirname "$1")"
	printf 'int %s(void)\n{\n\treturn %s;\n}\n' "$2" "$3" >"$1"
}
empty_repo
function_of own.c own 1
function_of third_party/zlib/crc.c crc 1
function_of parser.tab.c yyparse 1
function_of third_party/ours/kept.c kept 1
save root
cat >.gitattributes <<'END'
third_party/** linguist-vendored
third_party/ours/** -linguist-vendored
*.tab.c linguist-generated=true
END
for file in own.c third_party/zlib/crc.c parser.tab.c third_party/ours/kept.c; do
	sed -i 's/return 1/return 2/' "$file"
done
save attributes
perfevo changes
echo '# the root knew of no attributes'
perfevo changes HEAD~1 -s
echo '# links and submodules are no files'
ln -s own.c link.c
git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),module.c"
git add link.c
git commit -q -m links
perfevo changes -s | sed 's/^[0-9a-f]*  [0-9-]*/COMMIT/'
