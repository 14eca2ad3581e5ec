# The Debian package holds what is installed, and the program in it works where it is unpacked.
for tool in cpack dpkg-deb dpkg-shlibdeps; do
	command -v $tool >/dev/null || {
		echo "no $tool here" >&2
		exit 77
	}
done
umask 027 # what whoever packs has; everybody may read what is installed
cpack --config "$BUILD_DIR/CPackConfig.cmake" -G DEB -B "$PWD/packed" -D CPACK_DEBIAN_COMPRESSION_TYPE=none >log 2>&1 ||
	fail "cpack: $(cat log)"
set -- packed/*.deb
same 'one package' 1 $#
same 'its name' "packed/perfevo_$(perfevo --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')_$(dpkg --print-architecture).deb" "$1"
dpkg-deb -f "$1" >control
for library in libc6 libgit2 libsqlite3; do
	grep -q "^Depends:.*$library" control || fail "no dependency on $library: $(cat control)"
done
has 'what it profits from' control 'Recommends: git, valgrind'

# The same files as cmake --install puts below its prefix; manual pages are compressed, and Debian's own are added.
dpkg-deb -x "$1" root
cmake --install "$BUILD_DIR" --prefix "$PWD/prefix" >log 2>&1 || fail "install: $(cat log)"
{
	(cd prefix && find . ! -type d) | sed 's|^\(.*/man1/.*\.1\)$|\1.gz|; s|/zsh/site-functions/|/zsh/vendor-completions/|'
	echo ./share/doc/perfevo/changelog.gz
	echo ./share/lintian/overrides/perfevo
} | sort >installed
(cd root/usr && find . ! -type d) | sort >unpacked
diff installed unpacked
has 'the licence' root/usr/share/doc/perfevo/copyright 'Copyright (c) 2026 the perfevo authors'
has 'the licence of what is embedded' root/usr/share/doc/perfevo/copyright 'Included: highlight.js'
same 'nothing outside of /usr' usr "$(ls root)"
same 'what others may not read' '' "$(dpkg-deb -c "$1" | grep -v '^l' | grep -v '^[-d]r[-w][-x]r-[-x]r-[-x] root/root ' || :)"
same 'links that lead nowhere' '' "$(find root -xtype l)"
gzip -dc root/usr/share/man/man1/perfevo-track.1.gz | cmp - prefix/share/man/man1/perfevo-track.1
gzip -dc root/usr/share/man/man1/git-perfevo.1.gz | cmp - prefix/share/man/man1/perfevo.1

# It finds the launcher, the counting library and what it embeds in the page.
PATH=$PWD/root/usr/bin:/usr/local/bin:/usr/bin:/bin
empty_repo
perfevo_yml '"true"' 'list: {command: ls, warmup: 0, repeats: 1}'
save start
git perfevo track --quiet --no-open >/dev/null
git perfevo log --metric wall --metric allocations --format csv | cut -d, -f4-9
grep -q highlight.js .git/perfevo/report.html || fail 'the page has not what it embeds'
