# Autotools with clang, and nothing in the project knows of it.
# shellcheck source=tests/cli/profile/lib.sh
. "$CASE_DIR/lib.sh"
needs autoreconf automake make clang
git init -q repo
cd repo
cat >configure.ac <<'END'
AC_INIT([prog], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_CHECK_FUNCS([memmove])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
bin_PROGRAMS = prog
prog_SOURCES = prog.c work.c work.h
END
cat >perfevo.yml <<'END'
build: [autoreconf -i, ./configure CC=clang, make]
benchmarks: {prog: [./prog]}
END
built_by
