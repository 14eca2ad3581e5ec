#!/bin/sh
# Stubs of glibc for the linker: each symbol of this machine's in its newest version that is not above BOUND. What is linked
# with them runs with any glibc from BOUND on. Functions that are newer are missing: old_glibc.c has those that are used.
#   surface.sh BOUND FOLDER CC
set -eu

bound=$1
folder=$2
cc=$3
mkdir -p "$folder"

# The symbols of a library: name, version, type, size, binding, address.
symbols()
{
	readelf --dyn-syms -W "$("$cc" -print-file-name="$1")" | awk -v bound="$bound" '
		function number(version, fields) {
			split(version, fields, ".")
			return fields[1] * 1000000 + fields[2] * 1000 + fields[3]
		}
		$5 ~ /GLOBAL|WEAK/ && $7 ~ /^[0-9]+$/ {
			name = $8; sub(/@.*/, "", name)
			version = $8; sub(/.*@/, "", version)
			if (version !~ /^GLIBC_[0-9.]+$/ || number(substr(version, 7)) > number(bound))
				next
			if (!(name in best) || number(substr(version, 7)) > number(substr(best[name], 7))) {
				best[name] = version; rest[name] = $4 " " $3 " " $5 " " $2
			}
		}
		END { for (name in best) print name, best[name], rest[name] }' | LC_ALL=C sort -k 6,6 -k 1,1
}

# stub SONAME: make it from lines of symbols. Names of one variable stay so: a program that has the variable in its own memory
# must have it under all of them.
stub()
{
	awk '{ name = sprintf("stub_%d", NR); object = $3 == "OBJECT" }
		!object { printf ".text\n.type %s, @function\n", name; body = "nop" }
		object { printf ".bss\n.type %s, @object\n.size %s, %d\n", name, name, $4; body = "" }
		object && $6 != before { if (room > 0) printf ".zero %d\n", room; print ".balign 32"; room = 0 }
		object { before = $6; room = $4 > room ? $4 : room }
		{ printf ".%s %s\n%s: %s\n.symver %s, %s@@%s, remove\n", $5 == "WEAK" ? "weak" : "globl", name, name, body, name, $1, $2 }
		END { if (room > 0) printf ".bss\n.zero %d\n", room }' >"$folder/$1.s"
	sed -n 's/.*@@\(.*\), remove/\1 { };/p' "$folder/$1.s" | sort -u >"$folder/$1.map"
	"$cc" -shared -nostdlib -Wl,-soname,"$1" -Wl,--version-script="$folder/$1.map" -o "$folder/$1" "$folder/$1.s"
}

# Where these were before glibc 2.34 put all into one library. What both had stays in libc.so.6.
in_libc='^pthread_(attr_(destroy|init|[gs]et.*(state|policy|param|scope))|cond(attr)?_(broadcast|destroy|init|signal|wait|timedwait)|equal|exit|getschedparam|mutex_(destroy|init|lock|unlock)|self|setcancel.*|setschedparam) '
in_pthread='^(pthread_|sem_(close|destroy|get|init|open|post|timed|try|unlink|wait))'
in_dl='^dl(addr|addr1|close|error|info|mopen|open|sym|vsym) '
in_rt='^(aio_|lio_|mq_|shm_|timer_)'
in_util='^(forkpty|login|login_tty|logout|logwtmp|openpty) '

symbols libc.so.6 >"$folder/all"
symbols libm.so.6 | stub libm.so.6
grep -E "$in_pthread" "$folder/all" | grep -vE "$in_libc" | stub libpthread.so.0
grep -E "$in_dl" "$folder/all" | stub libdl.so.2
grep -E "$in_rt" "$folder/all" | stub librt.so.1
grep -E "$in_util" "$folder/all" | stub libutil.so.1
grep -E "$in_libc" "$folder/all" >"$folder/rest"
grep -vE "$in_pthread|$in_dl|$in_rt|$in_util" "$folder/all" | cat - "$folder/rest" | stub libc.so.6

# What -lc and -lm take first: -L names this folder before the system's.
cat >"$folder/libc.so" <<END
GROUP($folder/libc.so.6 $("$cc" -print-file-name=libc_nonshared.a)
	AS_NEEDED($folder/libpthread.so.0 $folder/libdl.so.2 $folder/librt.so.1 $folder/libutil.so.1 $("$cc" -print-file-name=ld-linux-x86-64.so.2)))
END
echo "GROUP($folder/libm.so.6)" >"$folder/libm.so"
