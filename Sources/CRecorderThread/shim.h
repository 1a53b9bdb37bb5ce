#pragma once

#include <pthread.h>

// The C library hides this one from Swift, behind _GNU_SOURCE.
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);
