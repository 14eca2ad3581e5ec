# By its own name and as a command of git, with the commit that was built, where the sources have one.
for program in perfevo 'git perfevo'; do
	$program --version | sed 's/ ([0-9a-f]\{12,40\}\(-dirty\)\{0,1\})$//'
done
