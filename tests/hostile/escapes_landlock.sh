# The same ways out where the machine gives no user namespaces, and landlock alone confines: which it does not hold is named
# here, and in docs/security.md. perfevo runs in namespaces of its own, in which no more are to be had, so that the machine
# is none the worse.
unshare -Urmpf --mount-proc true 2>/dev/null || exit 77
python3 - <<'END' || exit 77
import ctypes, sys
sys.exit(0 if ctypes.CDLL(None).syscall(444, None, 0, 1) >= 6 else 1)
END

cat >forbid.sh <<'END'
echo 0 >/proc/sys/user/max_user_namespaces
echo 3000 >/proc/sys/kernel/pid_max
exec "$@"
END
sandbox='{mode: auto, network: false}'
confined="unshare -Urmpf --mount-proc sh $PWD/forbid.sh"
open='OUT watch_home
OUT sees_perfevo
OUT route_out
OUT connect_socket
OUT attach_shm
OUT lift_limit
OUT fill_disk'
. "$CASE_DIR/escapes.sh"
