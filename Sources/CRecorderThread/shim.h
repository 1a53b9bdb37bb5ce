#pragma once

#include <pthread.h>
#include <stddef.h>

// Of malloc.h, which Swift's Glibc leaves out.
int malloc_trim(size_t pad);
int mallopt(int parameter, int value);

// The C library hides this one from Swift, behind _GNU_SOURCE.
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

// And this one.
int pthread_setname_np(pthread_t thread, const char *name);
