#include "report/site.h"

#include "core/json/writer.h"
#include "report/assets.h"
#include "report/document.h"
#include "report/format.h"
#include "report/svg.h"

#include <string.h>
#include <time.h>

#define PAGE_NAME "index.html"

/* More confirmed changes than this stand in index.json alone. */
enum { MOST_ENTRIES = 100, MOST_SHOWN = 20 };

/* --- Folders --- */

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Names at the top that are not a branch's. */
static bool is_own_name(const char *name)
{
	static const char *const names[] = {PAGE_NAME, "index.json", "feed.atom", "latest"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Web servers and generators of sites hide names that begin with '.' or '_'. */
static bool stays(const char *branch, const char *c)
{
	if (is_plain(*c))
		return c > branch || !is_own_name(branch);
	return c > branch && strchr("._-", *c) != NULL;
}

void pe_site_add_folder(struct pe_text *out, const char *branch)
{
	enum { MOST = 200, KEPT = 150 };
	const size_t from = out->len;
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	for (const char *c = branch; *c != '\0'; c++)
		if (stays(branch, c))
			pe_text_addc(out, *c);
		else
			pe_text_addf(out, "~%02X", (unsigned char)*c);
	if (out->len - from <= MOST)
		return;
	pe_hash_init(&hash);
	pe_hash_string(&hash, branch);
	pe_hash_hex(&hash, hex);
	out->len = from + KEPT;
	pe_text_addf(out, "~~%s", hex);
}

bool pe_site_is_path(const char *path)
{
	static const char *const names[] = {PAGE_NAME, "data.json", "badge.svg"};
	const char *slash = strchr(path, '/');

	if (slash == NULL)
		return strcmp(path, "latest") != 0 && is_own_name(path);
	for (const char *c = path; c < slash; c++)
		if (!is_plain(*c) && *c != '~' && (c == path || strchr("._-", *c) == NULL))
			return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (slash > path && strcmp(names[i], slash + 1) == 0)
			return true;
	return false;
}

/* --- The results of a branch --- */

/* SIZE_MAX: nothing was measured. */
static size_t newest_of(const struct pe_evolution *evolution)
{
	size_t newest = SIZE_MAX;

	for (size_t l = 0; l < evolution->n_lines; l++)
		for (size_t p = evolution->lines[l].n_points; p-- > 0;) {
			const struct pe_point *point = &evolution->lines[l].points[p];

			if (point->outcome != PE_MEASURED)
				continue;
			if (newest == SIZE_MAX || point->revision > newest)
				newest = point->revision;
			break;
		}
	return newest;
}

/* A text into the arena, and emptied. */
static const char *keep(struct pe_text *text, struct pe_arena *arena)
{
	const char *kept = pe_arena_strdup(arena, pe_text_str(text));

	pe_text_clear(text);
	return kept;
}

static struct pe_revision copy_revision(const struct pe_revision *revision, struct pe_arena *arena)
{
	struct pe_revision copy = *revision;

	copy.parents = NULL;
	copy.n_parents = 0;
	copy.author = pe_arena_strdup(arena, revision->author);
	copy.subject = pe_arena_strdup(arena, revision->subject);
	return copy;
}

bool pe_site_describe(struct pe_site_branch *out, const struct pe_evolution *evolution,
		      const struct pe_commit_block *blocks, size_t n, struct pe_arena *arena)
{
	const size_t newest = newest_of(evolution);
	pe_auto_text text = PE_TEXT_INIT;

	if (newest == SIZE_MAX)
		return false;
	out->newest = copy_revision(&evolution->revisions[newest], arena);
	out->counts = pe_commit_blocks_count(blocks, n);
	pe_commit_blocks_add_headline(&text, evolution, blocks, n);
	out->headline = keep(&text, arena);
	for (size_t i = 0; i < n; i++)
		if (blocks[i].commit == newest) {
			pe_commit_class_add(&text, &blocks[i].class);
			out->class = keep(&text, arena);
			out->direction = pe_commit_class_direction(&blocks[i].class);
		}
	return true;
}

/* --- Identity --- */

/* A UUID of version 8 (RFC 9562), made of two texts, by which readers of the feed recognise an entry. */
static void add_urn(struct pe_text *out, const char *kind, const char *of)
{
	struct pe_hash hash;
	char hex[PE_HASH_HEX];

	pe_hash_init(&hash);
	pe_hash_string(&hash, kind);
	pe_hash_string(&hash, of);
	pe_hash_hex(&hash, hex);
	hex[12] = '8';
	hex[16] = 'a';
	pe_text_addf(out, "urn:uuid:%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
		     hex + 20);
}

struct pe_site_change pe_site_change_of(const struct pe_site_branch *branch,
					const struct pe_evolution *evolution,
					const struct pe_commit_block *block, struct pe_arena *arena)
{
	const struct pe_term plain = {.unicode = true};
	const struct pe_revision *revision = &evolution->revisions[block->commit];
	struct pe_site_change change = {
		.commit = pe_arena_strdup(arena, revision->id),
		.time_s = revision->time_s,
		.branch = branch,
	};
	pe_auto_text text = PE_TEXT_INIT, id = PE_TEXT_INIT;
	struct pe_doc doc = {.out = &text, .term = &plain};
	struct pe_json json = PE_JSON_INIT(&text);

	pe_commit_block_add_line(&text, evolution, block);
	change.line = keep(&text, arena);
	pe_commit_blocks_put(&doc, evolution, block, 1, false);
	change.text = keep(&text, arena);
	add_urn(&id, "change", change.commit);
	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "branch", branch->name);
	pe_json_take(&json, "id", &id);
	pe_json_time(&json, "time", change.time_s);
	pe_commit_block_json(&json, evolution, block);
	pe_json_end(&json);
	change.json = keep(&text, arena);
	return change;
}

/* --- index.json --- */

static void put_branch(struct pe_json *json, const struct pe_site_branch *branch)
{
	const size_t *confirmed = branch->counts.n[PE_STANDING_CONFIRMED];

	pe_json_begin_object(json, NULL);
	pe_json_members(json, branch, name, folder);
	pe_json_put(json, "commit", branch->newest.id);
	pe_json_put(json, "subject", branch->newest.subject);
	pe_json_time(json, "time", branch->newest.time_s);
	pe_json_members(json, branch, class);
	for (size_t i = 0; i < PE_CLASS_LAYOUT; i++)
		pe_json_put(json, pe_class_name((enum pe_class)i), confirmed[i]);
	pe_json_members(json, branch, headline);
	pe_json_put(json, "digest", branch->digest);
	pe_json_end(json);
}

void pe_site_json(struct pe_text *out, const struct pe_site *site)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_put(&json, "generator", PE_SITE_GENERATOR);
	pe_json_members(&json, site, version, project, title, url);
	pe_json_each_row(&json, "branches", i, site->n_branches,
			 put_branch(&json, &site->branches[i]));
	pe_json_each_row(&json, "changes", i, site->n_changes,
			 pe_json_raw(&json, NULL, site->changes[i].json));
	pe_json_each_row(&json, "files", i, site->n_files,
			 pe_json_put(&json, NULL, site->files[i]));
	pe_json_finish(&json);
}

/* --- index.html --- */

static void add_element(struct pe_text *out, const char *open, const char *string,
			const char *close)
{
	pe_text_add(out, open);
	pe_escape_xml(out, string);
	pe_text_add(out, close);
}

static const char *paint_of(unsigned direction)
{
	return direction == PE_MOVED_WORSE    ? " class=\"bad\""
	       : direction == PE_MOVED_BETTER ? " class=\"good\""
					      : "";
}

/* The policy lets nothing in but the style sheet: a name that slipped through as markup could neither run nor fetch. */
static void add_head(struct pe_text *out, const struct pe_site *site)
{
	char nonce[PE_HASH_HEX];
	struct pe_hash hash;

	pe_hash_init(&hash);
	for (size_t i = 0; i < site->n_branches; i++)
		pe_hash_string(&hash, site->branches[i].digest);
	pe_hash_hex(&hash, nonce);
	pe_text_addf(out,
		     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		     "style-src 'nonce-%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<link rel=\"icon\" href=\"data:,\">\n",
		     nonce);
	pe_text_add(out, "<link rel=\"alternate\" type=\"application/atom+xml\" href=\"feed.atom\" "
			 "title=\"confirmed changes\">\n");
	add_element(out, "<title>", site->title, "</title>\n");
	pe_text_addf(out,
		     "<style nonce=\"%s\">\n%s\n.card { margin-bottom: 16px; }\n</style>\n"
		     "</head>\n",
		     nonce, pe_asset_style);
}

static void add_commit_link(struct pe_text *out, const char *folder, const char *commit,
			    const char *words)
{
	pe_text_addf(out, "<a href=\"%s/" PAGE_NAME "#/evolution?commit=%s\">", folder, commit);
	add_element(out, "", words, "</a>");
}

static void add_branch_row(struct pe_text *out, const struct pe_site_branch *branch)
{
	const size_t *confirmed = branch->counts.n[PE_STANDING_CONFIRMED];

	pe_text_addf(out, "<tr><th scope=\"row\"><a href=\"%s/" PAGE_NAME "\">", branch->folder);
	add_element(out, "", branch->name, "</a></th><td>");
	add_commit_link(out, branch->folder, branch->newest.id, branch->newest.subject);
	pe_text_addf(out, "<br><span class=\"dim\"><code>%.*s</code>, ", PE_SHORT_ID,
		     branch->newest.id);
	pe_format_date(out, branch->newest.time_s);
	pe_text_addf(out, "</span></td><td%s>", paint_of(branch->direction));
	add_element(out, "", branch->class != NULL ? branch->class : "no change", "</td>");
	pe_text_addf(out, "<td class=\"num\">%zu</td><td class=\"num\">%zu</td>",
		     confirmed[PE_CLASS_SLOWER], confirmed[PE_CLASS_FASTER]);
	add_element(out, "<td>", branch->headline, "</td></tr>\n");
}

static void add_changes(struct pe_text *out, const struct pe_site *site)
{
	pe_text_add(out, "<section class=\"card\" aria-labelledby=\"changes\">\n<h2 id=\"changes\">"
			 "Confirmed changes</h2>\n");
	if (site->n_changes == 0) {
		pe_text_add(out, "<p class=\"dim\">None.</p>\n</section>\n");
		return;
	}
	pe_text_add(
		out,
		"<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"num\">Date</th>"
		"<th scope=\"col\">Branch</th><th scope=\"col\">Change</th></tr></thead>\n"
		"<tbody>\n");
	for (size_t i = 0; i < site->n_changes && i < MOST_SHOWN; i++) {
		const struct pe_site_change *change = &site->changes[i];

		pe_text_add(out, "<tr><td class=\"num\">");
		pe_format_date(out, change->time_s);
		add_element(out, "</td><td>", change->branch->name, "</td><td>");
		add_commit_link(out, change->branch->folder, change->commit, change->line);
		pe_text_add(out, "</td></tr>\n");
	}
	pe_text_add(out, "</tbody>\n</table></div>\n</section>\n");
}

void pe_site_html(struct pe_text *out, const struct pe_site *site)
{
	add_head(out, site);
	add_element(out, "<body>\n<header class=\"top\"><div class=\"title\"><h1>", site->title,
		    "</h1></div></header>\n<main>\n");
	pe_text_add(out,
		    "<section class=\"card\" aria-labelledby=\"branches\">\n"
		    "<h2 id=\"branches\">Branches</h2>\n<div class=\"scroll\"><table>\n"
		    "<thead><tr><th scope=\"col\">Branch</th><th scope=\"col\">Newest measured "
		    "commit</th><th scope=\"col\">Change there</th><th scope=\"col\" class=\"num\">"
		    "Slower</th><th scope=\"col\" class=\"num\">Faster</th><th scope=\"col\">"
		    "In all</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < site->n_branches; i++)
		add_branch_row(out, &site->branches[i]);
	pe_text_add(out, "</tbody>\n</table></div>\n</section>\n");
	add_changes(out, site);
	pe_text_add(out, "</main>\n<footer><p>Confirmed changes as <a href=\"feed.atom\">feed</a> "
			 "and <a href=\"index.json\">JSON</a>. ");
	add_element(out, "Written by perfevo ", site->version,
		    ".</p></footer>\n</body>\n</html>\n");
}

void pe_site_latest(struct pe_text *out, const struct pe_site *site)
{
	const struct pe_site_branch *first = &site->branches[0];

	pe_text_addf(out,
		     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"refresh\" content=\"0; url=../%s/" PAGE_NAME "\">\n",
		     first->folder);
	add_element(out, "<title>", site->title, "</title>\n</head>\n");
	pe_text_addf(out, "<body><p><a href=\"../%s/" PAGE_NAME "\">", first->folder);
	add_element(out, "", first->name, "</a></p></body>\n</html>\n");
}

/* --- feed.atom --- */

static void add_time(struct pe_text *out, int64_t time_s)
{
	const time_t clock = (time_t)time_s;
	struct tm utc = {0};
	char when[64] = "1970-01-01T00:00:00Z";

	if (gmtime_r(&clock, &utc) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &utc);
	pe_text_addf(out, "<updated>%s</updated>\n", when);
}

/* A file of the site, by its address if there is one. */
static void add_link(struct pe_text *out, const struct pe_site *site, const char *rel,
		     const char *path)
{
	pe_text_addf(out, "<link rel=\"%s\" href=\"", rel);
	if (site->url != NULL)
		add_element(out, "", site->url, "/");
	add_element(out, "", path, "\"/>\n");
}

static void add_entry(struct pe_text *out, const struct pe_site *site,
		      const struct pe_site_change *change)
{
	pe_auto_text path = PE_TEXT_INIT;

	pe_text_add(out, "<entry>\n<id>");
	add_urn(out, "change", change->commit);
	add_element(out, "</id>\n<title>", change->line, "</title>\n");
	add_time(out, change->time_s);
	pe_text_addf(&path, "%s/" PAGE_NAME "#/evolution?commit=%s", change->branch->folder,
		     change->commit);
	add_link(out, site, "alternate", pe_text_str(&path));
	add_element(out, "<category term=\"", change->branch->name, "\"/>\n");
	add_element(out,
		    "<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\"><pre>",
		    change->text, "</pre></div></content>\n</entry>\n");
}

/* The newest of what the feed is about. */
static int64_t updated_of(const struct pe_site *site)
{
	int64_t time_s = site->n_changes > 0 ? site->changes[0].time_s : INT64_MIN;

	for (size_t i = 0; site->n_changes == 0 && i < site->n_branches; i++)
		if (site->branches[i].newest.time_s > time_s)
			time_s = site->branches[i].newest.time_s;
	return time_s;
}

void pe_site_feed(struct pe_text *out, const struct pe_site *site)
{
	pe_text_add(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
			 "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>");
	add_urn(out, "feed", site->url != NULL ? site->url : site->project);
	add_element(out, "</id>\n<title>", site->title, "</title>\n");
	add_time(out, updated_of(site));
	add_link(out, site, "self", "feed.atom");
	add_link(out, site, "alternate", PAGE_NAME);
	add_element(out, "<author><name>", site->project, "</name></author>\n");
	add_element(out, "<generator version=\"", site->version, "\">perfevo</generator>\n");
	for (size_t i = 0; i < site->n_changes && i < MOST_ENTRIES; i++)
		add_entry(out, site, &site->changes[i]);
	pe_text_add(out, "</feed>\n");
}

/* --- badge.svg --- */

/* The newest commit that is slower, faster, mixed or changes counts; NULL: there is none. */
static const struct pe_commit_block *latest_of(const struct pe_commit_block *blocks, size_t n)
{
	const struct pe_commit_block *latest = NULL;

	for (size_t i = 0; i < n; i++)
		if (blocks[i].class.standing == PE_STANDING_CONFIRMED &&
		    blocks[i].class.class != PE_CLASS_LAYOUT &&
		    (latest == NULL || blocks[i].commit > latest->commit))
			latest = &blocks[i];
	return latest;
}

void pe_site_badge(struct pe_text *out, const struct pe_evolution *evolution,
		   const struct pe_commit_block *blocks, size_t n)
{
	enum { MARGIN = 8, HEIGHT = 22, BASE = 15 };
	static const char label[] = "performance";
	const struct pe_commit_block *latest = latest_of(blocks, n);
	const unsigned way = latest != NULL ? pe_commit_class_direction(&latest->class) : 0;
	const char *paint = way == PE_MOVED_WORSE ? "bad" : way == PE_MOVED_BETTER ? "good" : NULL;
	const double left = pe_svg_text_width(label) + 2 * MARGIN;
	pe_auto_text words = PE_TEXT_INIT, title = PE_TEXT_INIT;
	double width;

	if (latest != NULL) {
		pe_commit_class_add(&words, &latest->class);
		pe_text_add(&words, " at ");
		pe_add_short_id(&words, evolution, latest->commit);
	} else {
		pe_text_add(&words, "no change in ");
		pe_format_plural(&words, evolution->n_revisions - evolution->first, "commit");
	}
	width = left + pe_svg_text_width(pe_text_str(&words)) + 2 * MARGIN;
	pe_text_addf(&title, "%s: %s", label, pe_text_str(&words));
	pe_svg_begin(out, width, HEIGHT, pe_text_str(&title));
	pe_text_add(out, "<rect class=\"rule\" rx=\"3\"");
	pe_svg_rect(out, 0.5, 0.5, width - 1, HEIGHT - 1);
	pe_text_add(out, "/>\n");
	pe_svg_text(out, MARGIN, BASE, "dim", label, 0);
	pe_svg_text(out, left + MARGIN, BASE, paint, pe_text_str(&words), 0);
	pe_svg_end(out);
}
