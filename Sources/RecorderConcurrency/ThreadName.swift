import CRecorderThread
import Glibc

/// Names the calling thread for debuggers and `top`; at most 15 bytes.
///
/// `Thread.name` does not work: a name that is set before the start never reaches the system, and one that the thread sets itself
/// only sometimes. A new thread has the name of the thread that started it.
package func nameCurrentThread(_ name: String) {
    _ = unsafe pthread_setname_np(pthread_self(), name)
}
