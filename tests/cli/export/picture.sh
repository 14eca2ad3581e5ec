# The evolution as a picture.
measured_repo
perfevo export --format svg --metric score -o score.svg
if command -v xmllint >/dev/null; then
	xmllint --noout score.svg
fi
grep -o '▲ [^<]*' score.svg
grep -o '<circle' score.svg | wc -l
perfevo export --samples --format svg || echo "status $?"
