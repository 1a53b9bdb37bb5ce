import CRecorderThread
import Glibc

/// Names the calling thread for debuggers and `top`; at most 15 bytes.
///
/// Not by `Thread.name`: a name that is set before the start never reaches the system, and one that the thread itself sets
/// does only if the thread that started it has gone on meanwhile. A new thread has the name of the one that started it.
package func nameCurrentThread(_ name: String) {
    _ = unsafe pthread_setname_np(pthread_self(), name)
}
