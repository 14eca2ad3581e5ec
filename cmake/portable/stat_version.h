/* Until glibc 2.33 a program's stat() called __xstat() with the version of its struct stat. */
#pragma once

#if defined(__x86_64__)
#define STAT_VERSION 1
#else
#define STAT_VERSION 0
#endif
