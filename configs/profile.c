/* Collection of calling context trees: functions without hooks, the mode, its rate, or a command. */
#include "configs/sections.h"

#include <string.h>

static const enum pe_profile_mode modes[] = {PE_PROFILE_BOTH, PE_PROFILE_COUNTING,
					     PE_PROFILE_SAMPLES};
static const char *const mode_words[] = {"counting+samples", "counting", "samples", NULL};
static const char *const language_words[] = {
	[PE_PROFILE_PYTHON - 1] = "python",
	[PE_PROFILE_NODE - 1] = "node",
	[PE_PROFILE_GO - 1] = "go",
	NULL,
};

/* State of reading `profile:`: a mode, a command and a language exclude each other. */
struct profile {
	struct pe_profile_plan plan;
	unsigned mode, language; /* indices of their words */
	struct pe_command command;
	const char *format;
};

/* Parts of names, which become lines in a compiler's arguments. */
#define PARTS(key, field)                                                                          \
	PE_KEY_MATCHES(key, "^[^[:cntrl:]]+$", "a part of a name", struct pe_profile_exclude, field)

static const struct pe_key exclude_keys[] = {
	PARTS("files", files),
	PARTS("functions", functions),
	PE_KEY("size", pe_read_size, struct pe_profile_exclude, size_bytes),
};

/* {profile} stays, unlike the braces of a benchmark's parameters. */
static int read_command(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	int rc;

	reader->kept = "{profile}";
	rc = pe_read_command(reader, node, field);
	reader->kept = NULL;
	return rc;
}

static const struct pe_key profile_keys[] = {
	PE_KEY_MAP("exclude", exclude_keys, struct profile, plan.exclude),
	PE_KEY("build", pe_read_commands, struct profile, plan.build),
	PE_KEY_WORDS("mode", mode_words, struct profile, mode),
	PE_KEY_NUMBER("rate", 10, 20000, NULL, "a number of samples a second, 10 to 20000",
		      struct profile, plan.rate),
	PE_KEY("runs", pe_read_positive, struct profile, plan.runs),
	PE_KEY("command", read_command, struct profile, command),
	PE_KEY("format", pe_read_text, struct profile, format),
	PE_KEY_WORDS("language", language_words, struct profile, language),
};

/* `profile: python` */
static const struct pe_key word_key =
	PE_KEY_WORDS("profile", language_words, struct profile, language);

static int check_way(struct pe_reader *reader, const struct pe_yaml *node,
		     const struct profile *profile)
{
	const struct pe_yaml *mode = pe_yaml_get(node, "mode");
	const struct pe_yaml *language = pe_yaml_get(node, "language");
	const bool has_command = profile->command.argv != NULL;

	if (language != NULL && (mode != NULL || has_command))
		return pe_read_fail(
			reader, language,
			"'profile' takes one of 'mode', 'command' and 'language' and no other");
	if (mode != NULL && has_command)
		return pe_read_fail(reader, mode,
				    "'profile' takes either 'mode' or 'command', not both");
	if (profile->format != NULL && !has_command && profile->plan.command.argv == NULL)
		return pe_read_fail(reader, pe_yaml_get(node, "format"),
				    "'format' says what 'command' leaves, and there is none");
	return PE_OK;
}

int pe_profile_read(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_profile_plan *plan = field;
	struct profile profile = {.plan = *plan};
	const bool is_word = node->kind == PE_YAML_SCALAR;
	const bool has_mode = pe_yaml_get(node, "mode") != NULL;
	const bool has_language = is_word || pe_yaml_get(node, "language") != NULL;

	if (is_word)
		PE_TRY(pe_read_key(reader, node, &word_key, &profile));
	else
		PE_TRY(pe_read_map(reader, node, PE_KEYS(profile_keys), &profile, "'profile'"));
	PE_TRY(check_way(reader, node, &profile));
	*plan = profile.plan;
	if (has_mode || has_language || profile.command.argv != NULL) {
		plan->mode = has_mode ? modes[profile.mode] : PE_PROFILE_COMMAND;
		plan->language = has_language ? profile.language + 1 : PE_PROFILE_NO_LANGUAGE;
		plan->command = profile.command;
		plan->format = NULL;
	}
	if (profile.format != NULL)
		plan->format = profile.format;
	return PE_OK;
}
