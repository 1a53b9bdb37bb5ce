#pragma once

// The C library hides this one from Swift, behind _GNU_SOURCE.
int pipe2(int ends[2], int flags);

// And these, which say when a file was created.
#include <linux/stat.h>
#include <sys/statfs.h>
int statx(int directory, const char *path, int flags, unsigned int mask, struct statx *status);
