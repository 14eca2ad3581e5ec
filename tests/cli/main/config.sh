# Where the config comes from: --config, the top of the tree, or HEAD of a bare repository.
empty_repo
save empty
perfevo track --dry-run || echo "status $?"
cat >.perfevo.yml <<'END'
build: "true"
benchmarks: {hidden: "true"}
END
names()
{
	perfevo completion --benchmarks "$@"
}
names
sed s/hidden/plain/ .perfevo.yml >perfevo.yml
names
mkdir deep
names -C deep
sed s/hidden/named/ .perfevo.yml >deep/other.yml
names --config deep/other.yml
save configured
git clone -q --bare . ../bare.git
cd ../bare.git
names
names --config ../repo/deep/other.yml
cd ../repo
git rm -q perfevo.yml .perfevo.yml
save bare
git clone -q --bare . ../none.git
cd ../none.git
perfevo track --dry-run || echo "status $?"
