#include "core/json/track.h"

#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static struct pe_arena arena;
static struct pe_err err;

static void drop(void)
{
	pe_arena_release(&arena);
}

TestSuite(track, .fini = drop, .timeout = 600);

static int read_event(struct pe_track_event *out, const char *line)
{
	return pe_json_track_event(out, line, strlen(line), &arena, &err);
}

Test(track, reads_progress)
{
	struct pe_track_event event;

	cr_assert_eq(read_event(&event, "{\"event\":\"run\",\"done\":3,\"total\":12,\"x\":[1]}"),
		     PE_OK, "%s", err.message);
	cr_expect_str_eq(event.kind, "run");
	cr_expect(eq(i64, event.done, 3));
	cr_expect(eq(i64, event.total, 12));
	cr_expect(event.text == NULL);
	cr_assert_eq(read_event(&event, "{\"event\":\"note\",\"text\":\"a \\\"word\\\"\"}"), PE_OK);
	cr_expect_str_eq(event.text, "a \"word\"");
}

Test(track, tells_sentences_from_events)
{
	struct pe_track_event event;

	cr_expect(eq(int, read_event(&event, "perfevo: no perfevo.yml"), PE_EINVALID));
	cr_expect(eq(int, read_event(&event, "{\"text\":\"no event\"}"), PE_EINVALID));
	cr_expect(eq(int, read_event(&event, "[]"), PE_EINVALID));
	cr_expect(eq(int, read_event(&event, ""), PE_EINVALID));
}

static const char document[] =
	"{\"format\":1,\"lines\":["
	"{\"benchmark\":\"parse\",\"points\":[{\"revision\":\"aa\",\"outcome\":\"measured\"},"
	"{\"revision\":\"bb\",\"outcome\":\"measured\"}]},"
	"{\"benchmark\":\"parse\",\"points\":[{\"revision\":\"bb\",\"outcome\":\"measured\"}]},"
	"{\"benchmark\":\"print\",\"points\":[{\"revision\":\"bb\",\"outcome\":\"measured\"}]}],"
	"\"events\":[{\"commit\":\"aa\",\"standing\":\"accepted\",\"worse\":true,\"summary\":\"x\"},"
	"{\"commit\":\"bb\",\"standing\":\"confirmed\",\"worse\":true,\"better\":false,"
	"\"summary\":\"slower: parse wall time +25 %\"}],"
	"\"failures\":[{\"revision\":\"aa\",\"benchmark\":null,\"outcome\":\"build failed\"},"
	"{\"revision\":\"bb\",\"benchmark\":\"sort\",\"outcome\":\"crashed\"}]}";

Test(track, reads_what_an_answer_says_of_a_commit)
{
	struct pe_track_answer answer;

	cr_assert_eq(pe_json_track_answer(&answer, document, strlen(document), "bb", &arena, &err),
		     PE_OK, "%s", err.message);
	cr_expect(eq(sz, answer.benchmarks, 2), "a benchmark counts once");
	cr_assert(answer.summary != NULL);
	cr_expect_str_eq(answer.summary, "slower: parse wall time +25 %");
	cr_expect(answer.worse && answer.confirmed && !answer.better && !answer.accepted);
	cr_assert(eq(sz, answer.n_failures, 1));
	cr_expect_str_eq(answer.failures[0].benchmark, "sort");
	cr_expect_str_eq(answer.failures[0].outcome, "crashed");
}

Test(track, of_an_unknown_commit_nothing_is_said)
{
	struct pe_track_answer answer;

	cr_assert(eq(int,
		     pe_json_track_answer(&answer, document, strlen(document), "cc", &arena, &err),
		     PE_OK));
	cr_expect(eq(sz, answer.benchmarks, 0));
	cr_expect(answer.summary == NULL && !answer.worse && !answer.better);
	cr_expect(eq(sz, answer.n_failures, 0));
}

Test(track, refuses_other_documents)
{
	static const char *const others[] = {"", "{", "{}", "[]", "null", "{\"lines\":"};
	struct pe_track_answer answer;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		cr_expect(eq(int,
			     pe_json_track_answer(&answer, others[i], strlen(others[i]), "bb",
						  &arena, &err),
			     PE_EINVALID),
			  "'%s'", others[i]);
}
