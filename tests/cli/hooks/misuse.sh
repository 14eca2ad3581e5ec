# What is not said is asked for.

empty_repo
for arguments in 'hooks' 'hooks update' 'hook' 'hook update' 'hooks install --post-commits'; do
	status=0
	perfevo $arguments 2>&1 || status=$?
	echo "status $status"
done
! perfevo help | grep -w hook || fail 'the hidden command is listed'
perfevo hook --help | head -n 1
