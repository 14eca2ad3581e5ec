# Who has read enough is not told of an error; a full disk is one.
measured_repo
{
	while sh -c echo 2>/dev/null; do sleep 0.05; done # until nobody reads
	perfevo export --samples
	echo "status $?" >&2
} | :
perfevo log >/dev/full || echo "status $?"
