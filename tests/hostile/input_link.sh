# P1, P7: a confined benchmark's input is what the benchmark itself would find at that path: a build that makes it a link to
# a file that is hidden from it does not get that file from the launcher.

mkdir -p "$HOME/.ssh"
echo secret >"$HOME/.ssh/id_test"
empty_repo
cat >perfevo.yml <<'END'
sandbox: auto
build: sh build.sh
benchmarks:
  reads: {command: 'cat >&2; exit 1', input: in, warmup: 0, repeats: 2, allocations: false}
END
echo "ln -s \"$HOME/.ssh/id_test\" in" >build.sh
save one

# tried COMMAND...: with namespaces, and with landlock where there are none
tried()
{
	rm -rf .git/perfevo
	"$@" perfevo track --quiet --no-open --no-confirm >../out 2>../messages || true
	"$@" perfevo show HEAD >../shown
	! grep -qi 'not confined\|no sandbox\|not isolated' ../messages || return 0
	has_not 'the key' ../shown secret
	has 'an outcome' ../shown 'reads: not started'
}

tried timeout 60
cat >../forbid.sh <<'END'
echo 0 >/proc/sys/user/max_user_namespaces
exec "$@"
END
! unshare -Ur true 2>/dev/null || tried timeout 600 unshare -Ur sh ../forbid.sh
