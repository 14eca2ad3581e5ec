# fish is asked what it would offer.
command -v fish >/dev/null || exit 77
empty_repo
save start
git tag v1.0
echo 'benchmarks: {parse: "true", sort: "true"}' >perfevo.yml
: >file.yml
perfevo completion fish >script
offered()
{
	echo "$1| $(fish -c "source script; complete -C '$1'" | cut -f1 | tr '\n' ' ')"
}
offered 'perfevo tr'
offered 'perfevo track --format '
offered 'perfevo track --dry'
offered 'perfevo track -b p'
offered 'perfevo track v'
offered 'perfevo track H'
offered 'perfevo track --config fi'
offered 'perfevo help ch'
