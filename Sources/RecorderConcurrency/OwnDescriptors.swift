import Glibc
import Synchronization

/// The open files of this library that a forked child must not keep: a lock stays held while a child has its file open, even after
/// its holder was killed, and a connection stays open.
///
/// What is opened here is closed by programs that the process starts (close-on-exec); this is for a child of `fork` alone.
package enum OwnDescriptors {
    /// A bit for each descriptor. Not behind a lock: another thread may hold that while this one forks.
    private static let words = 16_384
    private static let bits = UInt64.bitWidth
    private nonisolated(unsafe) static let marks: UnsafeMutablePointer<Atomic<UInt64>> = {
        let marks = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: words)
        for word in 0..<words { unsafe (marks + word).initialize(to: Atomic(0)) }
        return unsafe marks
    }()

    /// Notes a descriptor that was opened. Close it by ``close(_:)``.
    package static func note(_ file: Int32) {
        guard let (word, bit) = place(file) else { return }
        unsafe marks[word].bitwiseOr(bit, ordering: .relaxed)
    }

    /// Closes a descriptor that was noted. In a forked child it is closed already, and the number may be another file's.
    package static func close(_ file: Int32) {
        if let (word, bit) = place(file) {
            let before = unsafe marks[word].bitwiseAnd(~bit, ordering: .relaxed).oldValue
            guard before & bit != 0 else { return }
        }
        _ = Glibc.close(file)
    }

    /// One that fits.
    package static func first(where fits: (Int32) -> Bool) -> Int32? {
        for word in 0..<words {
            let open = unsafe marks[word].load(ordering: .relaxed)
            guard open != 0 else { continue }
            for bit in 0..<bits where open & (1 << UInt64(bit)) != 0 && fits(Int32(word * bits + bit)) {
                return Int32(word * bits + bit)
            }
        }
        return nil
    }

    /// Closes all of them; called in a forked child, before it runs anything else.
    package static func closeAll() {
        for word in 0..<words {
            let open = unsafe marks[word].exchange(0, ordering: .relaxed)
            guard open != 0 else { continue }
            for bit in 0..<bits where open & (1 << UInt64(bit)) != 0 { _ = Glibc.close(Int32(word * bits + bit)) }
        }
    }

    private static func place(_ file: Int32) -> (word: Int, bit: UInt64)? {
        guard 0..<words * bits ~= Int(file) else { return nil }
        return (Int(file) / bits, 1 << UInt64(Int(file) % bits))
    }

    /// Gives descriptors 0 to 2 a file if they are closed. Otherwise the next file to be opened, a lock or a connection for
    /// example, would get such a number, and what the program prints would be written into it. SQLite does the same for its files.
    ///
    /// Reading and writing still fail with EBADF, as on a closed descriptor: each is opened for the wrong direction.
    package static func occupyStandard() {
        for (file, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
            guard fcntl(file, F_GETFD) < 0 else { continue }
            // open() returns the lowest free number, and the lower ones are open. A higher one means that a call of the program,
            // such as a waiting accept(), holds this number.
            let opened = unsafe open("/dev/null", mode)
            if opened > file { _ = Glibc.close(opened) }
        }
    }
}
