#!/bin/sh
if [ -x "$0.before-perfevo" ]; then
	"$0.before-perfevo" "$@" || exit
fi
command -v perfevo >/dev/null 2>&1 || exit 0
exec perfevo hook pre-commit "$@"
