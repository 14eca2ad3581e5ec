/* Entries: the functions that a program enters, seen by traps. */
#pragma once

/** The program opened a file: if that is one of the modules which are watched, its bytes count. Keeps errno. */
void pe_entries_opened(int fd);
