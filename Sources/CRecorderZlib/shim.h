// zlib, for compressed request bodies.
#pragma once
#include <zlib.h>
