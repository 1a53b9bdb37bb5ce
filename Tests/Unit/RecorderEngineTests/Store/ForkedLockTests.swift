import Foundation
import Glibc
import RecorderTestSupport
import Testing

@testable import RecorderStore

/// Locks in the child of a process that forked while it used them. The child has none of the threads that would release them.
@Suite(.timeLimit(.minutes(2))) struct ForkedLockTests {
    /// In a separate process, which forks while it closes a store.
    @Test func `a forked child waits for no store that its parent closes, and takes no lock`() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = directory.path("a.db")
            let lock = StoreWriteLock(of: path)
            try lock.lock(before: .now)
            lock.unlock()
            // As every call of a store does.
            try ForkedProcess.check()
            var child: pid_t = 0
            lock.closing { _ in
                child = fork()
                guard child == 0 else { return }
                // The signal ends a child that waits.
                alarm(30)
                if (try? StoreLock(path: "\(path).lock").tryLock()) != nil { _exit(2) }
                var isClosed = false
                StoreWriteLock(of: path).closing { isHeld in isClosed = !isHeld }
                exit(isClosed ? 0 : 3)
            }
            var status: Int32 = -1
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            exit(status == 0 ? 0 : 1)
        }
    }
}
