# Each shell reads its script without complaint, where that shell is installed; no other shell is known.
for shell in bash zsh fish; do
	perfevo completion $shell >script
	test -s script || echo "nothing for $shell"
	! command -v $shell >/dev/null || $shell -n script
done
perfevo completion bash | shellcheck -s bash -
perfevo completion tcsh || echo "status $?"
perfevo completion || echo "status $?"
