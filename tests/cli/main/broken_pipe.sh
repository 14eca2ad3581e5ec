# Who has read enough is not told of an error; a full disk is one.
# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"
measured_repo
{
	sleep 0.2
	perfevo export --samples
	echo "status $?" >&2
} | :
perfevo log >/dev/full || echo "status $?"
