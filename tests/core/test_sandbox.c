/* mkdtemp(3) and setenv(3) are POSIX. */
#define _XOPEN_SOURCE 700

#include "core/exec/sandbox.h"

#include "core/base/files.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/exec/failure.h"
#include "tests/support/test.h"

static struct pe_arena arena;
static char home[64];

static const char *below(const char *rest)
{
	return pe_arena_printf(&arena, "%s%s", home, rest);
}

static void make(const char *folder)
{
	cr_assert(eq(int, pe_files_make_dir(below(folder), NULL), PE_OK));
}

static void set_up(void)
{
	char *real;

	strcpy(home, "/tmp/perfevo-sandbox-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(home), NULL));
	real = realpath(home, NULL);
	snprintf(home, sizeof(home), "%s", real);
	free(real);
	setenv("HOME", home, 1);
	unsetenv("TMPDIR");
	unsetenv("SSH_AUTH_SOCK");
	make("/.ssh");
	make("/keys");
	make("/cache");
	make("/repo/.git/perfevo");
	make("/data");
	make("/.cargo/bin");
	cr_assert(eq(int, symlink(below("/keys"), below("/.aws")), 0));
}

static void tear_down(void)
{
	pe_files_remove(home, NULL);
	pe_arena_release(&arena);
}

TestSuite(sandbox, .init = set_up, .fini = tear_down);

static struct pe_sandbox_site site_of(const struct pe_sandbox *sandbox)
{
	return (struct pe_sandbox_site){.sandbox = sandbox,
					.cache_dir = below("/cache"),
					.root = below("/repo"),
					.git_dir = below("/repo/.git")};
}

/* What decides on a path in the end: 0 where no place does. */
static enum pe_wire_place decides(const struct pe_places *places, const char *path)
{
	enum pe_wire_place kind = 0;

	for (size_t i = 0; i < places->n; i++) {
		size_t n = strlen(places->at[i].path);

		if (places->at[i].kind != PE_PLACE_LINK &&
		    strncmp(path, places->at[i].path, n) == 0 &&
		    (path[n] == '/' || path[n] == '\0'))
			kind = places->at[i].kind;
	}
	return kind;
}

Test(sandbox, auto_gives_the_machine_without_secrets)
{
	const struct pe_sandbox sandbox = {.mode = PE_SANDBOX_AUTO};
	const struct pe_sandbox_site site = site_of(&sandbox);
	struct pe_places places = pe_sandbox_places(&site, &arena);

	cr_expect(eq(int, decides(&places, "/usr/bin/cc"), PE_PLACE_MACHINE));
	cr_expect(eq(int, decides(&places, "/tmp/other"), PE_PLACE_OWN));
	/* The home folder lies below /tmp here, and is given all the same. */
	cr_expect(eq(int, decides(&places, below("/data")), PE_PLACE_READ));
	cr_expect(eq(int, decides(&places, below("/.ssh")), PE_PLACE_HIDDEN));
	cr_expect(eq(int, decides(&places, below("/keys")), PE_PLACE_HIDDEN), "where ~/.aws leads");
	cr_expect(eq(int, decides(&places, below("/repo/src")), PE_PLACE_READ));
	cr_expect(eq(int, decides(&places, below("/repo/.git/perfevo")), PE_PLACE_HIDDEN));
	cr_expect(eq(int, decides(&places, below("/cache/slots/0001/tree")), PE_PLACE_CELLS));
	cr_expect(eq(int, decides(&places, PE_INSIDE_TREE), PE_PLACE_TREE));
}

/* Keys, tokens, keyrings, histories and agents' sockets. */
Test(sandbox, auto_hides_each_secret)
{
	static const char *const kept[] = {"/.ssh",
					   "/.gnupg",
					   "/.netrc",
					   "/.config/gh",
					   "/.local/share/keyrings",
					   "/.git-credentials",
					   "/.kube",
					   "/.docker/config.json",
					   "/.docker/run",
					   "/.1password",
					   "/.config/gcloud",
					   "/.azure",
					   "/.npmrc",
					   "/.pypirc",
					   "/.cargo/credentials.toml",
					   "/.vault-token",
					   "/.password-store",
					   "/.local/share/kwalletd",
					   "/.bash_history",
					   "/.python_history",
					   "/agent/socket",
					   "/gnupg/elsewhere"};
	const struct pe_sandbox sandbox = {.mode = PE_SANDBOX_AUTO};
	const struct pe_sandbox_site site = site_of(&sandbox);
	struct pe_places places;

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		make(kept[i]);
	setenv("SSH_AUTH_SOCK", below("/agent/socket"), 1);
	setenv("GNUPGHOME", below("/gnupg/elsewhere"), 1);
	places = pe_sandbox_places(&site, &arena);
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		cr_expect(eq(int, decides(&places, below(kept[i])), PE_PLACE_HIDDEN), "%s",
			  kept[i]);
	cr_expect(eq(int, decides(&places, below("/keys")), PE_PLACE_HIDDEN), "where ~/.aws leads");
	cr_expect(eq(int, decides(&places, "/run/user/1000/keyring/ssh"), PE_PLACE_OWN));
	cr_expect(eq(int, decides(&places, "/run/docker.sock"), PE_PLACE_OWN));
	unsetenv("GNUPGHOME");
}

Test(sandbox, landlock_moves_no_tree)
{
	const struct pe_sandbox sandbox = {.mode = PE_SANDBOX_AUTO, .by_landlock = true};
	const struct pe_sandbox_site site = site_of(&sandbox);
	struct pe_places places = pe_sandbox_places(&site, &arena);

	cr_expect(eq(int, decides(&places, PE_INSIDE_TREE), PE_PLACE_OWN));
}

Test(sandbox, require_starts_from_nothing)
{
	const struct pe_sandbox sandbox = {.mode = PE_SANDBOX_REQUIRE};
	const struct pe_sandbox_site site = site_of(&sandbox);
	struct pe_places places = pe_sandbox_places(&site, &arena);

	cr_expect(eq(int, decides(&places, "/usr/bin/cc"), PE_PLACE_READ));
	cr_expect(eq(int, decides(&places, "/etc/passwd"), PE_PLACE_READ));
	cr_expect(eq(int, decides(&places, "/etc/fstab"), PE_PLACE_NOTHING));
	cr_expect(eq(int, decides(&places, "/home"), PE_PLACE_NOTHING));
	cr_expect(eq(int, decides(&places, "/srv"), PE_PLACE_NOTHING));
	cr_expect(eq(int, decides(&places, below("/data")), PE_PLACE_OWN),
		  "a home folder of its own");
	cr_expect(eq(int, decides(&places, below("/repo")), PE_PLACE_OWN));
	cr_expect(eq(int, decides(&places, below("/.cargo/bin/cargo")), PE_PLACE_READ));
	cr_expect(eq(int, decides(&places, below("/.cargo/config.toml")), PE_PLACE_OWN));
	cr_expect(eq(int, decides(&places, below("/cache/slots")), PE_PLACE_CELLS));
}

Test(sandbox, gives_what_the_config_names)
{
	const char *const read[] = {below("/.ssh"), below("/missing")}, *const write[] = {
										below("/data")};
	const struct pe_sandbox sandbox = {
		.mode = PE_SANDBOX_REQUIRE, .read = {read, 2}, .write = {write, 1}};
	const struct pe_sandbox_site site = site_of(&sandbox);
	struct pe_places places = pe_sandbox_places(&site, &arena);

	cr_expect(eq(int, decides(&places, below("/.ssh")), PE_PLACE_READ), "a secret by its name");
	cr_expect(eq(int, decides(&places, below("/data/new")), PE_PLACE_WRITE));
	cr_expect(eq(int, decides(&places, below("/missing")), PE_PLACE_OWN));
}

Test(sandbox, keeps_secrets_of_a_folder_that_is_named)
{
	const char *const write[] = {home};
	const struct pe_sandbox sandbox = {.mode = PE_SANDBOX_AUTO, .write = {write, 1}};
	const struct pe_sandbox_site site = site_of(&sandbox);
	struct pe_places places = pe_sandbox_places(&site, &arena);

	cr_expect(eq(int, decides(&places, below("/data")), PE_PLACE_WRITE));
	cr_expect(eq(int, decides(&places, below("/.ssh/id")), PE_PLACE_HIDDEN));
	cr_expect(
		eq(int, decides(&places, below("/repo/.git/perfevo/perfevo.db")), PE_PLACE_HIDDEN));
	cr_expect(eq(int, decides(&places, below("/cache/slots")), PE_PLACE_CELLS));
}

Test(sandbox, gives_paths_that_commands_name)
{
	struct pe_sandbox sandbox = {.mode = PE_SANDBOX_AUTO};
	struct pe_sandbox_site site = site_of(&sandbox);
	char data[] = "/tmp/perfevo-named-XXXXXX";
	const char *texts[1];
	struct pe_places places;

	cr_assert(ne(ptr, mkdtemp(data), NULL));
	texts[0] = pe_arena_printf(&arena, "sh -c './prog --in=%s; true'", data);
	places = pe_sandbox_places(&site, &arena);
	cr_expect(eq(int, decides(&places, data), PE_PLACE_OWN));
	site.texts = (struct pe_strings){texts, 1};
	places = pe_sandbox_places(&site, &arena);
	cr_expect(eq(int, decides(&places, data), PE_PLACE_READ));
	rmdir(data);
}

static const char *inside_file(const char *path)
{
	return pe_inside_file(path, below("/repo"), &arena);
}

Test(sandbox, paths_of_commands_lead_to_their_tree)
{
	static const struct {
		const char *link, *target;
	} links[] = {{"/repo/absolute", PE_INSIDE_TREE "/src"},
		     {"/repo/chain", "./absolute/../src/file"},
		     {"/repo/up", PE_INSIDE_TREE "/src/../absolute/file"},
		     {"/repo/loop", PE_INSIDE_TREE "/loop"}};
	const char *file = below("/repo/src/file");

	make("/repo/src/file"); /* as good as a file */
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		cr_assert(eq(int, symlink(links[i].target, below(links[i].link)), 0));
	cr_expect_str_eq(inside_file(PE_INSIDE_TREE "/src/file"), file);
	cr_expect_str_eq(inside_file(PE_INSIDE_TREE), below("/repo"));
	cr_expect_str_eq(inside_file(PE_INSIDE_TREE "/absolute/file"), file);
	cr_expect_str_eq(inside_file(below("/repo/absolute/file")), file);
	cr_expect_str_eq(inside_file(below("/repo/chain")), file);
	cr_expect_str_eq(inside_file(below("/repo/up")), file);
	cr_expect_str_eq(inside_file(below("/repo/loop")), below("/repo/loop"));
	cr_expect_str_eq(inside_file(below("/repo/none")), below("/repo/none"));
	cr_expect_str_eq(inside_file(below("/data")), below("/data"));
	cr_expect_str_eq(inside_file(PE_INSIDE_TREE "s/x"), PE_INSIDE_TREE "s/x");
	cr_expect_str_eq(pe_inside_file(PE_INSIDE_TREE "/x", NULL, &arena), PE_INSIDE_TREE "/x");
	cr_expect(eq(ptr, (void *)pe_inside_resolve(below("/repo/loop"), below("/repo"), &arena),
		     NULL));
}

/* With the home folder, which lies below /tmp here, for each @. */
static const char *at_home(const char *text)
{
	pe_auto_text out = PE_TEXT_INIT;
	const char *copy;

	for (; *text != '\0'; text++)
		if (*text == '@' && text[1] == '/')
			pe_text_add(&out, home);
		else
			pe_text_addc(&out, *text);
	copy = pe_arena_strdup(&arena, pe_text_str(&out));
	return copy;
}

/* The home folder lies below /tmp here, of which each commit has its own. */
Test(sandbox, what_is_given_for_writing_is_no_commits_own)
{
	const char *const given[] = {below("/data"), below("/link")};
	const struct {
		const char *path;
		bool own;
	} rows[] = {
		{"/usr/x", false},          {"/tmp/x", true},        {below("/data"), false},
		{below("/data/x"), false},  {below("/data2"), true}, {below("/link/x"), false},
		{below("/cache/x"), false}, {"/dev/shm/x", true},
	};
	const struct pe_sandbox sandbox = {.mode = PE_SANDBOX_AUTO, .write = {given, 2}};

	cr_assert(eq(int, symlink(below("/cache"), below("/link")), 0));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect(eq(int, pe_sandbox_is_own(&sandbox, rows[i].path), rows[i].own), "%s",
			  rows[i].path);
	/* Where HOME is the root, as in containers, the machine is not taken for a home folder. */
	setenv("HOME", "/", 1);
	cr_expect_not(pe_sandbox_is_own(
		&(struct pe_sandbox){.mode = PE_SANDBOX_REQUIRE, .write = {given, 2}}, "/srv/x"));
}

Test(sandbox, explains_what_a_log_says)
{
	static const struct {
		enum pe_sandbox_mode mode;
		const char *log, *answer;
	} rows[] = {
		{PE_SANDBOX_AUTO, "touch: cannot touch '/usr/x': Read-only file system\n",
		 "'sandbox: {write: [/usr/x]}' would"},
		{PE_SANDBOX_AUTO, "a\nsh: 1: cannot create /usr/y: Read-only file system",
		 "'sandbox: {write: [/usr/y]}' would"},
		{PE_SANDBOX_REQUIRE, "cat: /etc/passwd: No such file or directory",
		 "'sandbox: {read: [/etc/passwd]}' would"},
		/* As Python, Node, Java and cargo put it. */
		{PE_SANDBOX_AUTO, "OSError: [Errno 30] Read-only file system: '/usr/p'\n",
		 "'sandbox: {write: [/usr/p]}' would"},
		{PE_SANDBOX_AUTO, "Error: EROFS: read-only file system, open '/usr/n'\n",
		 "'sandbox: {write: [/usr/n]}' would"},
		{PE_SANDBOX_AUTO, "FileNotFoundException: /usr/j (Read-only file system)\n",
		 "'sandbox: {write: [/usr/j]}' would"},
		/* What `auto` keeps: folders of its own, and secrets. */
		{PE_SANDBOX_AUTO, "cat: @/data: No such file or directory\n",
		 "'sandbox: {read: [@/data]}' would"},
		{PE_SANDBOX_AUTO, "Error: ENOENT: no such file or directory, open '@/.ssh'\n",
		 "'sandbox: {read: [@/.ssh]}' would"},
		{PE_SANDBOX_AUTO, "git@host: Permission denied (publickey).\n",
		 "'sandbox: {read: [~/.ssh]}' would"},
		{PE_SANDBOX_AUTO, "cat: /etc/passwd: No such file or directory", ""},
		{PE_SANDBOX_AUTO, "cat: @/none: No such file or directory", ""},
		/* What the machine lacks, too, no sandbox gives. */
		{PE_SANDBOX_REQUIRE, "cat: /nowhere/x: No such file or directory", ""},
		{PE_SANDBOX_REQUIRE, "fatal: Could not resolve host: example.org", "network: true"},
		{PE_SANDBOX_REQUIRE, "npm error code EAI_AGAIN\ngetaddrinfo EAI_AGAIN example.org",
		 "'build: {prepare: ...}'"},
		{PE_SANDBOX_REQUIRE, "dial tcp 192.0.2.1:443: connect: network is unreachable",
		 "'build: {prepare: ...}'"},
		/* No sandbox is in the way. */
		{PE_SANDBOX_AUTO, "fatal: Could not resolve host: example.org",
		 "'overlay: [FOLDER]'"},
		{PE_SANDBOX_AUTO, "x.c:1: error: Read-only file system", ""},
		{PE_SANDBOX_AUTO, "", ""},
	};
	const struct pe_failure_site none = {.sandbox = NULL};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct pe_sandbox sandbox = {.mode = rows[i].mode};
		const char *said =
			pe_failure_advice(at_home(rows[i].log),
					  &(struct pe_failure_site){.sandbox = &sandbox}, &arena);

		cr_expect(ne(ptr, strstr(said, at_home(rows[i].answer)), NULL), "%s: %s",
			  rows[i].log, said);
		cr_expect(eq(int, *said == '\0', *rows[i].answer == '\0'), "%s", rows[i].log);
	}
	cr_expect(eq(int, *pe_failure_advice(rows[0].log, &none, &arena), 0));
	cr_expect_has(pe_failure_advice("getaddrinfo ENOTFOUND x", &none, &arena),
		      "'overlay: [FOLDER]'");
}
