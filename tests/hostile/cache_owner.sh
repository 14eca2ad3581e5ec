# P1, P7: a cache that others may write to holds builds that perfevo would run: it is refused, with what to do.

empty_repo
perfevo_yml '"true"' 'prog: {command: "true", warmup: 0, repeats: 2, allocations: false}'
save one

# refused WHAT TEXT
refused()
{
	code=0
	timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || code=$?
	same "$1" 128 "$code"
	has "$1" ../messages "$2"
}

mkdir -p ../shared/perfevo
chmod 0775 ../shared/perfevo
XDG_CACHE_HOME=$PWD/../shared refused 'a cache that others may write to' 'others may write into'
chmod 0755 ../shared/perfevo
chmod 0777 ../shared
XDG_CACHE_HOME=$PWD/../shared refused 'a cache that others may replace' 'others may replace what is in'
if [ "$(id -u)" = 0 ]; then
	chmod 0755 ../shared
	chown 65534 ../shared/perfevo
	XDG_CACHE_HOME=$PWD/../shared refused 'a cache of somebody else' 'belongs to user 65534'
fi
(
	unset HOME XDG_CACHE_HOME
	refused 'no home' 'XDG_CACHE_HOME'
)
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track: $? $(cat ../messages)"
same 'modes' 700 "$(stat -c %a "$XDG_CACHE_HOME"/perfevo/*/slots | sort -u)"
