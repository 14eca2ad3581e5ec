# One content in two files need not be read as the same language, nor kept as if it were.
empty_repo
printf 'class box {\npublic:\n\tint area() { return 1; }\n};\n' >box.c
save 'as C'
perfevo changes -q >/dev/null
cp box.c box.h
save 'as a header'
perfevo changes
