/* Entries: the functions that a program enters, seen by traps. */
#ifndef PE_RUNTIME_ENTRIES_H
#define PE_RUNTIME_ENTRIES_H

/** The program opened a file: if that is one of the modules which are watched, its bytes count. Keeps errno. */
void pe_entries_opened(int fd);

#endif
