#!/bin/sh
# Packages as SOURCE_DIR/package-lock.json pins them, in BINARY_DIR/node_modules. `npm ci` runs once for all build
# directories that name the same SHARED folder: each gets a copy.
#   npm.sh SOURCE_DIR BINARY_DIR SHARED NPM [FLAGS...]
set -eu

source=$1
binary=$2
shared=$3
npm=$4
shift 4
kept=$shared/$({ cat "$source/package.json" "$source/package-lock.json"; echo "$*"; } | sha256sum | cut -c 1-16)
mkdir -p "$shared" "$binary"
exec 9>"$shared/lock"
flock 9
if [ ! -e "$kept/complete" ]; then
	rm -rf "$kept"
	mkdir "$kept"
	cp "$source/package.json" "$source/package-lock.json" "$kept"
	(cd "$kept" && "$npm" ci --ignore-scripts --no-audit --no-fund --loglevel=error "$@")
	touch "$kept/complete"
fi
rm -rf "$binary/node_modules"
cp -R "$kept/package.json" "$kept/package-lock.json" "$kept/node_modules" "$binary"
