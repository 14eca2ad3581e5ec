# Functions of Rust have the names of their sources, whichever way the compiler mangles them, and without debug information.
# The compiler itself, and not the script that looks for it in the user's home.
for rustc in "$(command -v rustc || :)" "$(getent passwd "$(id -u)" | cut -d: -f6)"/.rustup/toolchains/*/bin/rustc; do
	! "$rustc" --version >/dev/null 2>&1 || break
done
"$rustc" --version >/dev/null 2>&1 || exit 77
empty_repo
perfevo_yml "$rustc -C opt-level=1 -C codegen-units=1 -o prog main.rs" \
	'prog: {command: [./prog], warmup: 0, repeats: 1}'
cat >main.rs <<'END'
mod words {
    #[inline(never)]
    pub fn weigh(text: &str) -> usize {
        text.len() * 3
    }
}

fn main() {
    std::process::exit((words::weigh(&std::env::args().next().unwrap()) > 1000000) as i32);
}
END
save first
sed -i 's/\* 3/* 5 + 1/' main.rs
save second
perfevo changes --code -q >../out 2>../err || fail "$(cat ../err)"
has 'the method' ../out weigh
for mangled in '_ZN' '_R' '17h' 'h[0-9a-f]\{16\}'; do
	! grep "$mangled" ../out || fail "a mangled name: $mangled"
done
