/*
 * Fake track: jobs start perfevo itself, /proc/self/exe, for what takes long. In a test that is the test's program, so
 * its main() plays perfevo when it is called as one: it writes its words into FAKE_TRACK_LOG, a line a call, and then
 * does what the script FAKE_TRACK_SCRIPT says, with these words.
 */
#pragma once

#include "tests/support/tmp_repo.h"

/** What perfevo does from now on. @param script  for /bin/sh, $1 is the command: "track" */
void fake_track_set(const struct tmp_repo *repo, const char *script);

/** How it was called so far, a line a call. */
char *fake_track_calls(const struct tmp_repo *repo);
