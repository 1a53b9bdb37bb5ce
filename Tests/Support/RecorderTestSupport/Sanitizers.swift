import Glibc

/// True when the tests run with `--sanitize=thread`, which makes deep stacks a thousand times slower.
package let isThreadSanitized = dlsym(nil, "__tsan_init") != nil

/// True when they run with any sanitizer, which would report faults that a test injects on purpose.
package let isSanitized = isThreadSanitized || dlsym(nil, "__asan_init") != nil
