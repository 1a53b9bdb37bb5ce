#pragma once

// The C library hides this one from Swift, behind _GNU_SOURCE.
int pipe2(int ends[2], int flags);
