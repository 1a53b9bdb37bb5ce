// PCRE2 for the patterns of the command line, in its form for UTF-8.
#pragma once
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
