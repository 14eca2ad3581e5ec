# Make with gcc, and nothing in the project knows of it.
needs make gcc
empty_repo
cat >Makefile <<'END'
CC = gcc
CFLAGS = -O2 -Wall -Wextra -Werror
prog: prog.o work.o
	$(CC) $(CFLAGS) -o $@ prog.o work.o
END
echo '{build: make, benchmarks: {prog: [./prog]}}' >perfevo.yml
built_by
