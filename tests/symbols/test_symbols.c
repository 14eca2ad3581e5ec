/* Real programs, compiled in the ways that people compile: what are the places called that they mark? */
#include "analysis/symbols/symbols.h"

#include "built.h"
#include "tests/support/test.h"

#define MOST_MARKS 32

static struct built_mark marks[MOST_MARKS];
static size_t n_marks;
static struct pe_symbols_db *db;

static void end(void)
{
	pe_symbols_close(db);
	built_remove_root();
}

TestSuite(symbols, .init = built_make_root, .fini = end, .timeout = 600);

static void open_db(const char *tree, const char *sysroot)
{
	struct pe_err err = PE_ERR_INIT;

	pe_symbols_close(db);
	cr_assert_ok(pe_symbols_open(&db, tree, sysroot, &err), err.message);
}

static void run(const char *command)
{
	n_marks = built_run(marks, MOST_MARKS, "build", command);
}

#define EXPECT(tag, text)                                                                          \
	cr_expect(eq(str, built_describe(db, built_find(marks, n_marks, tag)), text), "%s", tag)

/* ---- C ---- */

struct variant {
	char compiler[16];
	char flags[160];
};

static void expect_chain(void)
{
	EXPECT("inner", "inner src/chain.c@inner < outer src/chain.c@outer < top src/chain.c@top");
	EXPECT("top", "top src/chain.c@after");
	EXPECT("twin", "twin src/chain.c@twin");
	EXPECT("other", "twin src/twin.c@other");
	EXPECT("main", "main src/chain.c@main");
}

static struct variant functions_lines_and_inlined_calls_cases[] = {
	{"gcc", "-O0 -g"},
	{"gcc", "-O2 -g"},
	{"gcc", "-O3 -gdwarf-4"},
	{"gcc", "-O2 -g3 -no-pie"},
	{"gcc", "-O2 -g -gz"},
	{"gcc", "-O2 -g -flto"},
	{"gcc", "-O2 -g -fdebug-types-section"},
	{"gcc", "-O2 -g -ffunction-sections -fdata-sections -Wl,--gc-sections"},
	{"gcc", "-O2 -g -gsplit-dwarf"},
	{"gcc", "-O2 -g -gdwarf-4 -gsplit-dwarf"},
	{"gcc", "-O2 -g -finstrument-functions"},
	{"gcc", "-O2 -g -ffile-prefix-map=$(cd ..; pwd)=."},
	{"gcc", "-O2 -g -fdebug-prefix-map=$(cd ..; pwd)=."},
	{"clang", "-O0 -g"},
	{"clang", "-O2 -g"},
	{"clang", "-O2 -gdwarf-4"},
	{"clang", "-O2 -g -no-pie"},
	{"clang", "-O2 -g -gsplit-dwarf"},
	{"clang", "-O2 -g -ffile-prefix-map=$(cd ..; pwd)=."},
	{"clang", "-O1 -gline-tables-only"},
};

TestOver(struct variant *variant, functions_lines_and_inlined_calls_cases, symbols,
	 functions_lines_and_inlined_calls)
{
	built_shell(
		"build",
		"for f in chain twin mark; do "
		"%s %s -D__cyg_profile_func_enter=ignored -c ../src/$f.c -o $f.o; done; "
		"printf 'void __cyg_profile_func_enter(void *f, void *s) { (void)f; (void)s; }\\n"
		"void __cyg_profile_func_exit(void *f, void *s) { (void)f; (void)s; }\\n' >h.c; "
		"%s -c h.c; %s %s chain.o twin.o mark.o h.o -o program",
		variant->compiler, variant->flags, variant->compiler, variant->compiler,
		variant->flags);
	run("./program");
	open_db(built_root(), NULL);
	expect_chain();
}

static void join_name(const struct pe_frame *frame, void *names)
{
	pe_text_addf(names, " %s ", frame->name);
}

Test(symbols, small_methods_are_told_by_their_machine_code)
{
	pe_auto_text small = PE_TEXT_INIT;

	built_shell(
		"build",
		"printf '%%s\\n' .text '.type eight, %%function' eight: '.zero 8' '.size eight, 8'"
		" '.type label, %%function' label: '.zero 4'"
		" '.section .note.GNU-stack,\"\",%%progbits' >eight.s;"
		"gcc -O1 -g ../src/chain.c ../src/twin.c ../src/mark.c eight.s -o program");
	run("./program");
	open_db(built_root(), NULL);
	EXPECT("main", "main src/chain.c@main");
	pe_symbols_small(db, 1, join_name, &small);
	cr_expect(eq(sz, small.len, 0));
	pe_symbols_small(db, 8, join_name, &small);
	cr_expect(strstr(pe_text_str(&small), " eight ") == NULL);
	pe_symbols_small(db, 9, join_name, &small);
	cr_expect(strstr(pe_text_str(&small), " eight ") != NULL);
	pe_symbols_small(db, 1 << 20, join_name, &small);
	cr_expect(strstr(pe_text_str(&small), " main ") != NULL);
	cr_expect(strstr(pe_text_str(&small), " label ") == NULL);
}

Test(symbols, a_shared_library_is_a_module_of_its_own)
{
	built_shell(
		"build",
		"gcc -O2 -g -fPIC -shared -Dmain=begin ../src/chain.c ../src/twin.c "
		"../src/mark.c -o libchain.so; "
		"echo 'int begin(int, char **); int main(int n, char **v) { return begin(n, v); }' "
		">start.c; gcc -O2 -g start.c -L. -lchain -Wl,-rpath,'$ORIGIN' -o program");
	run("./program");
	open_db(built_root(), NULL);
	EXPECT("inner", "inner src/chain.c@inner < outer src/chain.c@outer < top src/chain.c@top");
	EXPECT("main", "begin src/chain.c@main");
}

Test(symbols, the_tree_may_be_named_through_a_link_or_not_at_all)
{
	char absolute[8192];

	built_shell("build", "gcc -O2 -g ../src/chain.c ../src/twin.c ../src/mark.c -o program; "
			     "ln -s \"$(cd ..; pwd)\" ../link");
	run("./program");
	snprintf(absolute, sizeof(absolute), "%s/link/", built_root());
	open_db(absolute, NULL);
	EXPECT("twin", "twin src/chain.c@twin");
	open_db(NULL, NULL);
	snprintf(absolute, sizeof(absolute), "twin %s/src/chain.c@twin", built_root());
	EXPECT("twin", absolute);
}

Test(symbols, sources_outside_of_the_tree_keep_their_whole_path)
{
	char tree[8192], wanted[8300];

	built_shell("build", "gcc -O2 -g ../src/chain.c ../src/twin.c ../src/mark.c -o program");
	run("./program");
	snprintf(tree, sizeof(tree), "%s/build", built_root());
	open_db(tree, NULL);
	snprintf(wanted, sizeof(wanted), "twin %s/src/chain.c@twin", built_root());
	EXPECT("twin", wanted);
}

Test(symbols, what_lies_outside_of_the_tree_and_is_not_there_is_the_modules)
{
	char tree[8192];

	built_shell("build", "cp -r ../src ../gone && gcc -O2 -g ../gone/chain.c ../gone/twin.c "
			     "../gone/mark.c -o program && rm -r ../gone");
	run("./program");
	snprintf(tree, sizeof(tree), "%s/build", built_root());
	open_db(tree, NULL);
	EXPECT("twin", "twin program@?");
}

/* ---- C++ ---- */

static struct variant variants[] = {
	{"g++", "-O0 -g"},     {"g++", "-O2 -g"},     {"g++", "-O2 -gdwarf-4 -flto"},
	{"clang++", "-O0 -g"}, {"clang++", "-O2 -g"},
};

TestOver(struct variant *variant, variants, symbols, names_of_cxx)
{
	bool gcc = strcmp(variant->compiler, "g++") == 0;

	built_shell("build",
		    "gcc -c ../src/mark.c; %s -std=c++17 %s ../src/names.cc mark.o -o program",
		    variant->compiler, variant->flags);
	run("./program");
	open_db(built_root(), NULL);
#define IN_NAMES(tag, name, marker) EXPECT(tag, name " src/names.cc@" marker)
	IN_NAMES("hidden", "(anonymous namespace)::hidden(int, char const*)", "hidden");
	IN_NAMES("apart", "(anonymous namespace)::Apart::get(int) const", "apart");
	IN_NAMES("probe", "ns::table<int>::probe(int, char const*) const", "probe");
	IN_NAMES("small", "ns::table<unsigned char>::probe(unsigned char, char const*) const",
		 "probe");
	IN_NAMES("base", "ns::Base::Base(int)", "base");
	IN_NAMES("gone", "ns::Base::~Base()", "gone");
	IN_NAMES("plus", "ns::Base::operator+=(ns::Base const&)", "plus");
	IN_NAMES("long", "ns::Base::operator long() const", "long");
	IN_NAMES("quiet", "ns::quiet(unsigned long, int (*)(int), ns::Base&)", "quiet");
	IN_NAMES("queer",
		 "ns::queer(int, int*, int&&, int const volatile*, int ns::Base::*, void*)",
		 "queer");
	IN_NAMES("loud", "ns::loud(int)", "loud");
	IN_NAMES("louder",
		 "ns::loud(std::__cxx11::basic_string<char, std::char_traits<char>, "
		 "std::allocator<char> > const&)",
		 "louder");
	IN_NAMES("plain", "plain", "plain");
	IN_NAMES("local", "main::Local::run(int)", "local");
	if (gcc) {
		IN_NAMES("one", "main::{lambda(int)#1}::operator()(int) const", "one");
		IN_NAMES("two", "main::{lambda(int)#2}::operator()(int) const", "two");
	} else {
		IN_NAMES("one", "main::$_0::operator()(int) const", "one");
		IN_NAMES("two", "main::$_1::operator()(int) const", "two");
	}
}

/* The deleting destructor holds a copy of the other one; rare code lies in a part of its own. */
Test(symbols, parts_of_a_function_are_that_function)
{
	static const char *const compilers[] = {"g++ -O2", "g++ -O3 -gdwarf-4", "clang++ -O2"};

	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		built_shell("build",
			    "gcc -c ../src/mark.c; %s -g ../src/parts.cc mark.o -o program",
			    compilers[i]);
		run("./program");
		open_db(built_root(), NULL);
		EXPECT("gone", strncmp(compilers[i], "clang", 5) == 0
				       ? "Thing::~Thing() src/parts.cc@gone < main src/parts.cc@?"
				       : "Thing::~Thing() src/parts.cc@gone");
		EXPECT("rare", "rarely(int*, int) src/parts.cc@rare");
	}
}

#ifdef __x86_64__
Test(symbols, assembler_has_files_and_lines)
{
	static const char *const compilers[] = {"gcc", "clang"};

	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		built_shell("build", "gcc -c ../src/mark.c; %s -g ../src/code.S mark.o -o program",
			    compilers[i]);
		run("./program");
		open_db(built_root(), NULL);
		EXPECT("assembler", "main src/code.S@assembler");
	}
}
#endif

/* ---- with less than all ---- */

static void build_plain(const char *flags)
{
	built_shell("build",
		    "gcc -O2 %s -fPIC ../src/chain.c ../src/twin.c ../src/mark.c -o program",
		    flags);
}

static enum pe_symbols_state state_of(size_t number)
{
	size_t n;
	const struct pe_symbols_module *modules = pe_symbols_modules(db, &n);

	cr_assert(gt(sz, n, number));
	return modules[number].state;
}

Test(symbols, a_symbol_table_names_functions)
{
	build_plain("-g0");
	run("./program");
	open_db(built_root(), NULL);
	EXPECT("inner", "top program@-");
	EXPECT("other", "twin program@-");
	EXPECT("main", "main program@-");
	cr_expect(eq(int, (int)state_of(0), (int)PE_SYMBOLS_TABLE));
}

Test(symbols, stubs_are_one_method)
{
#ifdef __aarch64__
#define MARKED "-mbranch-protection=standard"
#else
#define MARKED "-fcf-protection=full"
#endif
	static const char *const flags[] = {"", "-Wl,-z,lazy " MARKED, "-no-pie -Wl,-z,now"};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		build_plain(flags[i]);
		built_shell("build", "strip program");
		run("objdump -d program | sed -n "
		    "\"s,^0*\\([0-9a-f]*\\) <readlink@plt>:,stub $PWD/program 0 \\1,p\"");
		open_db(built_root(), NULL);
		EXPECT("stub", ".plt program@-");
		cr_expect(eq(int, (int)state_of(0), (int)PE_SYMBOLS_NONE));
	}
}

/* Only top and what main exports are left in .dynsym; twin is static. */
Test(symbols, a_stripped_file_gives_what_it_exports_and_the_bounds_of_the_rest)
{
	struct built_mark next;
	char first[8192];
	size_t n;

	build_plain("-g -rdynamic -Wl,--build-id=none");
	built_shell("build", "strip program");
	run("./program");
	open_db(built_root(), NULL);
	EXPECT("inner", "top program@-");
	snprintf(first, sizeof(first), "%s",
		 built_describe(db, built_find(marks, n_marks, "twin")));
	cr_expect_ok(strncmp(first, "?program+0x", 11), first);
	next = *built_find(marks, n_marks, "twin");
	next.address += 2;
	cr_expect_str_eq(built_describe(db, &next), first);
	EXPECT("top", "top program@-");
	cr_expect(eq(u64, pe_symbols_modules(db, &n)->unnamed, 2));
	cr_expect(eq(u64, pe_symbols_modules(db, &n)->asked, 4));
	cr_expect(eq(int, (int)state_of(0), (int)PE_SYMBOLS_TABLE));
}

/* A stripped copy of the program under root/, where debug information lies under its build id. */
static struct built_mark stripped_mark(const char *tag, const char *how)
{
	struct built_mark mark = *built_find(marks, n_marks, tag);

	built_shell("root/bin", "%s -o program ../../build/program", how);
	snprintf(mark.path, sizeof(mark.path), "/bin/program");
	return mark;
}

static void open_root(void)
{
	pe_auto_text sysroot = PE_TEXT_INIT;

	pe_text_addf(&sysroot, "%s/root", built_root());
	open_db(built_root(), pe_text_str(&sysroot));
}

Test(symbols, debug_information_may_lie_under_its_build_id)
{
	struct built_mark mark;

	build_plain("-g -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567");
	run("./program");
	built_shell("root/usr/lib/debug/.build-id/01",
		    "objcopy --only-keep-debug ../../../../../../build/program "
		    "23456789abcdef0123456789abcdef01234567.debug");
	mark = stripped_mark("inner", "strip");
	open_root();
	cr_expect_str_eq(built_describe(db, &mark),
			 "inner src/chain.c@inner < outer src/chain.c@outer < top src/chain.c@top");
}

/* A separate file of another build would give names of another program. */
Test(symbols, debug_information_of_another_build_is_not_taken)
{
	struct built_mark mark;

	build_plain("-g -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567");
	run("./program");
	built_shell("build", "gcc -g -O1 -fPIC -Wl,--build-id=0x01 -Dtwin=wrong -Dtop=wrong_top "
			     "../src/chain.c ../src/twin.c ../src/mark.c -o other");
	built_shell("root/usr/lib/debug/.build-id/01",
		    "objcopy --only-keep-debug ../../../../../../build/other "
		    "23456789abcdef0123456789abcdef01234567.debug");
	mark = stripped_mark("twin", "strip -g");
	open_root();
	cr_expect_str_eq(built_describe(db, &mark), "twin program@-");
}

Test(symbols, a_file_that_is_gone_or_another_one_gives_no_names)
{
	struct pe_symbols symbols;
	struct pe_module module = {0};
	struct pe_err err = PE_ERR_INIT;
	struct pe_symbolizer symbolizer;

	build_plain("-g");
	run("./program");
	open_db(built_root(), NULL);
	symbolizer = pe_symbols_symbolizer(db);
	module.path = marks[0].path;
	module.build_id = "00112233";
	cr_assert(eq(int, symbolizer.resolve(&symbols, &module, 0x1234, symbolizer.payload, &err),
		     PE_OK));
	cr_expect_str_eq(symbols.at[0].frame.name, "program+0x1234");
	cr_expect(eq(int, (int)symbols.at[0].frame.kind, (int)PE_FRAME_UNKNOWN));
	cr_expect(eq(int, (int)state_of(0), (int)PE_SYMBOLS_CHANGED));
	module = (struct pe_module){.path = "/nowhere/libgone.so.1"};
	cr_assert(eq(int, symbolizer.resolve(&symbols, &module, 0x40, symbolizer.payload, &err),
		     PE_OK));
	cr_expect_text("1 libgone.so.1+0x40 libgone.so.1", symbols.n, symbols.at[0].frame.name,
		       symbols.at[0].frame.component);
	cr_expect(eq(int, (int)state_of(1), (int)PE_SYMBOLS_GONE));
	module = (struct pe_module){.path = built_root()}; /* a folder */
	cr_assert(
		eq(int, symbolizer.resolve(&symbols, &module, 1, symbolizer.payload, &err), PE_OK));
	cr_expect(eq(int, (int)state_of(2), (int)PE_SYMBOLS_GONE));
	module = (struct pe_module){.path = "[vdso]"};
	cr_assert(
		eq(int, symbolizer.resolve(&symbols, &module, 1, symbolizer.payload, &err), PE_OK));
	cr_expect_str_eq(symbols.at[0].frame.name, "[vdso]+0x1");
	module = (struct pe_module){.path = ""};
	cr_assert(
		eq(int, symbolizer.resolve(&symbols, &module, 1, symbolizer.payload, &err), PE_OK));
	cr_expect_str_eq(symbols.at[0].frame.name, "[unknown]+0x1");
}

/* The frames that one address gave stand when others are asked for. */
Test(symbols, frames_live_as_long_as_the_table)
{
	struct pe_symbolizer symbolizer;
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_symbols symbols;
	struct pe_err err = PE_ERR_INIT;
	const char *first = NULL;

	build_plain("-g");
	run("./program");
	open_db(built_root(), NULL);
	symbolizer = pe_symbols_symbolizer(db);
	for (unsigned long address = marks[0].address - 20; address < marks[0].address + 20;
	     address++) {
		struct pe_module module = {.path = marks[0].path};

		cr_assert(
			eq(int,
			   symbolizer.resolve(&symbols, &module, address, symbolizer.payload, &err),
			   PE_OK));
		if (address == marks[0].address)
			first = symbols.at[0].frame.name;
		for (size_t i = 0; i < symbols.n; i++)
			pe_frames_add(&frames, &symbols.at[i].frame);
	}
	cr_expect_str_eq(first, "inner");
	cr_expect(lt(sz, frames.n, 12));
	pe_frames_release(&frames);
}
