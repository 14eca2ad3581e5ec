/* Collection of calling context trees: functions without hooks, the mode, its rate, or a command. */
#include "configs/profile.h"

#include "configs/parameters.h"
#include "core/base/text.h"

#include <string.h>

/* State of reading `profile:`: a command and a mode exclude each other. */
struct profile {
	struct pe_profile_plan plan;
	const struct pe_yaml *mode, *command, *format, *language;
};

static int keep(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	(void)reader;
	*(const struct pe_yaml **)field = node;
	return PE_OK;
}

/* Read parts of names. Each becomes a line in a compiler's arguments. */
static int read_parts(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_strings *out = field;
	int rc = pe_read_texts(reader, node, field);

	for (size_t i = 0; rc == PE_OK && i < out->n; i++) {
		const struct pe_yaml *at = node->kind == PE_YAML_LIST ? node->items[i] : node;
		bool plain = out->at[i][0] != '\0';

		for (const char *c = out->at[i]; *c != '\0'; c++)
			plain = plain && (unsigned char)*c >= 0x20;
		if (!plain)
			rc = pe_read_expected(reader, at, "a part of a name");
	}
	return rc;
}

static const struct pe_key exclude_keys[] = {
	PE_KEY("files", read_parts, struct pe_profile_exclude, files),
	PE_KEY("functions", read_parts, struct pe_profile_exclude, functions),
	PE_KEY("size", pe_read_size, struct pe_profile_exclude, size_bytes),
};

static int read_rate(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	unsigned rate = 0;

	if (node->kind != PE_YAML_SCALAR || pe_read_count(reader, node, &rate) != PE_OK ||
	    rate < 10 || rate > 20000)
		return pe_read_expected(reader, node, "a number of samples a second, 10 to 20000");
	*(unsigned *)field = rate;
	return PE_OK;
}

static const struct pe_key profile_keys[] = {
	PE_KEY_MAP("exclude", exclude_keys, struct profile, plan.exclude),
	PE_KEY("build", pe_read_commands, struct profile, plan.build),
	PE_KEY("mode", keep, struct profile, mode),
	PE_KEY("rate", read_rate, struct profile, plan.rate),
	PE_KEY("runs", pe_read_positive, struct profile, plan.runs),
	PE_KEY("command", keep, struct profile, command),
	PE_KEY("format", keep, struct profile, format),
	PE_KEY("language", keep, struct profile, language),
};

static int read_mode(struct pe_reader *reader, const struct pe_yaml *node,
		     enum pe_profile_mode *out)
{
	static const enum pe_profile_mode modes[] = {PE_PROFILE_BOTH, PE_PROFILE_COUNTING,
						     PE_PROFILE_SAMPLES};

	for (size_t i = 0; node->kind == PE_YAML_SCALAR && i < sizeof(modes) / sizeof(*modes);
	     i++) {
		if (strcmp(node->text, pe_profile_mode_name(modes[i])) == 0) {
			*out = modes[i];
			return PE_OK;
		}
	}
	reader->key = "mode";
	return pe_read_expected(reader, node, "counting+samples, counting or samples");
}

static int read_language(struct pe_reader *reader, const struct pe_yaml *node,
			 struct pe_profile_plan *plan)
{
	for (unsigned i = 1; node->kind == PE_YAML_SCALAR && i < PE_N_PROFILE_LANGUAGES; i++) {
		if (strcmp(node->text, pe_profile_language_name(i)) != 0)
			continue;
		plan->language = i;
		plan->mode = PE_PROFILE_COMMAND;
		plan->command = (struct pe_command){NULL, NULL};
		plan->format = NULL;
		return PE_OK;
	}
	return pe_read_expected(reader, node, "python, node or go");
}

/* Keep {profile} as it is, unlike the braces of a benchmark's parameters. */
static const struct pe_yaml *with_plain_braces(struct pe_reader *reader, const struct pe_yaml *node)
{
	struct pe_yaml *copy = pe_arena_new(reader->arena, struct pe_yaml, 1);
	pe_auto_text text = PE_TEXT_INIT;
	const char *from = node->text, *found;

	*copy = *node;
	while ((found = strstr(from, "{profile}")) != NULL) {
		pe_text_addn(&text, from, (size_t)(found - from));
		pe_text_add(&text, "{{profile}}");
		from = found + strlen("{profile}");
	}
	pe_text_add(&text, from);
	copy->text = pe_arena_strdup(reader->arena, pe_text_str(&text));
	return copy;
}

static int read_command(struct pe_reader *reader, const struct pe_yaml *node,
			struct pe_command *out)
{
	struct pe_yaml *copy = pe_arena_new(reader->arena, struct pe_yaml, 1);

	reader->key = "command";
	if (reader->parameters == NULL || reader->parameters->n == 0 || node->kind == PE_YAML_MAP)
		return pe_read_command(reader, node, out);
	if (node->kind == PE_YAML_SCALAR)
		return pe_read_command(reader, with_plain_braces(reader, node), out);
	*copy = *node;
	copy->items = pe_arena_new(reader->arena, struct pe_yaml *, node->n);
	for (size_t i = 0; i < node->n; i++)
		copy->items[i] =
			node->items[i]->kind == PE_YAML_SCALAR
				? (struct pe_yaml *)with_plain_braces(reader, node->items[i])
				: node->items[i];
	return pe_read_command(reader, copy, out);
}

static int read_way(struct pe_reader *reader, struct profile *profile)
{
	if (profile->language != NULL && (profile->mode != NULL || profile->command != NULL))
		return pe_read_fail(
			reader, profile->language,
			"'profile' takes one of 'mode', 'command' and 'language' and no other");
	if (profile->mode != NULL && profile->command != NULL)
		return pe_read_fail(reader, profile->mode,
				    "'profile' takes either 'mode' or 'command', not both");
	if (profile->format != NULL && profile->command == NULL &&
	    profile->plan.command.argv == NULL)
		return pe_read_fail(reader, profile->format,
				    "'format' says what 'command' leaves, and there is none");
	if (profile->mode != NULL) {
		PE_TRY(read_mode(reader, profile->mode, &profile->plan.mode));
		profile->plan.command = (struct pe_command){NULL, NULL};
		profile->plan.language = PE_PROFILE_NO_LANGUAGE;
	}
	if (profile->language != NULL) {
		reader->key = "language";
		PE_TRY(read_language(reader, profile->language, &profile->plan));
	}
	if (profile->command != NULL) {
		PE_TRY(read_command(reader, profile->command, &profile->plan.command));
		profile->plan.mode = PE_PROFILE_COMMAND;
		profile->plan.language = PE_PROFILE_NO_LANGUAGE;
		profile->plan.format = NULL;
	}
	reader->key = "format";
	if (profile->format != NULL)
		PE_TRY(pe_read_text(reader, profile->format, &profile->plan.format));
	reader->key = "profile";
	return PE_OK;
}

int pe_profile_read(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	struct pe_profile_plan *plan = field;
	struct profile profile = {.plan = *plan};

	/* `profile: python` */
	if (node->kind == PE_YAML_SCALAR)
		return read_language(reader, node, plan);
	PE_TRY(pe_read_map(reader, node, PE_KEYS(profile_keys), &profile, "'profile'"));
	PE_TRY(read_way(reader, &profile));
	*plan = profile.plan;
	return PE_OK;
}
