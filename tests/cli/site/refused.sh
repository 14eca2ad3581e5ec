# A site replaces no file that it did not write, follows no link in its folder, and says what is missing.

# refused STATUS TEXT COMMAND...
refused()
{
	expected=$1 text=$2
	shift 2
	ends "$expected" "$@"
	has "$*" ../err "$text"
}

empty_repo
figure 100 one
refused 128 'nothing measured yet' perfevo site ../site
cd ..
rm -rf repo
branches_repo
refused 129 'name the folder' perfevo site
refused 129 '--url takes an address' perfevo site ../site --url example.org
refused 128 "no branch 'v9'" perfevo site ../site --branch v9
git branch empty "$(git commit-tree -m empty 'HEAD^{tree}')"
refused 128 "nothing is measured on any of the branches: run 'perfevo track'" perfevo site ../site --branch empty
[ ! -e ../site ] || fail 'a folder without a site'
git switch -q --detach
refused 128 'no branch is checked out: name one with --branch' perfevo site ../site
perfevo site ../site --branch main --branch empty 2>../err
has 'a branch without results' ../err "branch 'empty' is left out"
git switch -q main

mkdir ../foreign
echo mine >../foreign/index.html
refused 128 '../foreign/index.html is there and is none of the site' perfevo site ../foreign
same 'a file of others' mine "$(cat ../foreign/index.html)"
echo '{"files": ["index.html"]}' >../foreign/index.json
refused 128 '../foreign/index.json is there' perfevo site ../foreign
rm -r ../foreign

mkdir ../foreign ../elsewhere
ln -s ../elsewhere ../foreign/main
refused 128 '../foreign/main/index.html is there' perfevo site ../foreign
ln -s ../elsewhere/target ../site/index.html.new
rm ../site/main/badge.svg
ln -s ../../elsewhere/target ../site/main/badge.svg
perfevo site -q ../site
[ ! -L ../site/main/badge.svg ] || fail 'the link is still there'
same 'what links led to' '' "$(ls ../elsewhere)"

# A list that somebody else wrote leads to no file but those of a site.
echo mine >../mine
echo mine >../site/other
sqlite3 :memory: "SELECT json_set(readfile('../site/index.json'), '\$.files', json('[\"../mine\", \"other\", \"/etc/passwd\",
	\"main/../../mine\", \"main/index.html\", \"main/data.json\", \"main/badge.svg\", \"index.html\", \"feed.atom\", \"latest/index.html\"]'))" >../index
cp ../index ../site/index.json
perfevo site -q ../site
same 'files that it does not make' 'mine mine' "$(cat ../mine) $(cat ../site/other)"

if [ "$(id -u)" -ne 0 ]; then
	chmod a-w ../site
	rm -f ../site/feed.atom
	refused 128 'cannot write ../site/' perfevo site ../site --title other
fi
