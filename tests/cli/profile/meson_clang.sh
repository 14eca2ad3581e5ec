# Meson with clang, and nothing in the project knows of it.
needs meson ninja clang
empty_repo
cat >meson.build <<'END'
project('prog', 'c', default_options: ['werror=true', 'warning_level=2', 'b_lto=false'])
executable('prog', 'prog.c', 'work.c')
END
perfevo_yml '{steps: [meson setup build --buildtype=release, ninja -C build], env: {CC: clang}}' 'prog: [build/prog]'
built_by
