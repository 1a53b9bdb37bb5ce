import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderConcurrency
import Synchronization

/// An `flock` on a file beside the database. It is released when its holder dies, however that happens.
///
/// One lock guards every write and checkpoint: SQLite before 3.51.3 can damage a write-ahead log that two connections write
/// or checkpoint at the same instant. A second one is the lease of the process that submits.
///
/// A lock on a file that was removed or replaced excludes no other process, so the locked file must be the one at the path.
package final class StoreLock: Sendable {
    package let path: String
    private let file = Locked<OpenFile?>(nil)

    private struct OpenFile {
        let descriptor: Int32
        let fileID: FileIdentity?
        var isHeld = false
    }

    /// How often a file is opened again that is removed as soon as it is locked.
    private static let maximumOpens = 100

    init(path: String) {
        self.path = path
    }

    deinit {
        file.withLock { Self.close(&$0) }
    }

    /// Takes the lock if no other process or store holds it.
    func tryLock() throws(RecorderError) -> Bool {
        // Another thread of the parent may have held this lock's lock.
        try ForkedProcess.check()
        return try file.withLock { (file) throws(RecorderError) in
            for _ in 0..<Self.maximumOpens {
                let open = if let file { file } else { try open() }
                file = open
                guard flock(open.descriptor, LOCK_EX | LOCK_NB) == 0 else {
                    let number = errno
                    guard number == EWOULDBLOCK || number == EINTR else {
                        throw .storage(StorageErrorMapping.lockMessage(number, path: path), nil)
                    }
                    // The holder may hold a file that was removed.
                    if open.fileID != FileIdentity(path) { Self.close(&file) }
                    return false
                }
                file?.isHeld = true
                if isEffective(file) { return true }
                Self.close(&file)
            }
            throw .storage("\(path) is removed as often as it is created. Stop whatever removes it.", nil)
        }
    }

    /// Why nothing at a path can be locked; nil if locks work there. Only where another lock has failed: it may disturb others.
    static func obstacle(at path: String) -> String? {
        let file = unsafe Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { _ = Glibc.close(file) }
        guard flock(file, LOCK_SH | LOCK_NB) != 0, errno != EWOULDBLOCK, errno != EINTR else { return nil }
        return StorageErrorMapping.lockMessage(errno, path: path)
    }

    /// Blocks until the lock is held, at most until `deadline`; after that it is tried once.
    func lock(before deadline: ContinuousClock.Instant) throws(RecorderError) {
        if try tryLock() { return }
        let start = SystemTime.now
        var pause = Duration.microseconds(200)
        repeat {
            let now = SystemTime.now
            guard now < deadline else {
                let waited = max(deadline - start, .zero)
                throw .storage(
                    "Another process holds \(path), for more than \(waited.text). Stop it or wait for it.",
                    nil
                )
            }
            // Writers hold the lock for one commit, well under a millisecond each.
            SystemTime.block(for: min(pause, deadline - now + .microseconds(1)))
            pause = min(pause * 2, .milliseconds(5))
        } while try !tryLock()
    }

    /// Releases the lock. A process with many stores closes the file too.
    func unlock() {
        file.withLock { file in
            guard let open = file, open.isHeld else { return }
            // A child of this process may have the same file open, and would keep the lock.
            flock(open.descriptor, LOCK_UN)
            file?.isHeld = false
            if StoreCount.isHigh { Self.close(&file) }
        }
    }

    /// Whether the lock is held and excludes others: false once its file was removed or replaced.
    var isEffective: Bool {
        file.withLock { isEffective($0) }
    }

    private func isEffective(_ file: OpenFile?) -> Bool {
        guard let file, file.isHeld, let fileID = file.fileID else { return false }
        return fileID == FileIdentity(path)
    }

    private static func close(_ file: inout OpenFile?) {
        if let open = file { OwnDescriptors.close(open.descriptor) }
        file = nil
    }

    private func open() throws(RecorderError) -> OpenFile {
        let opened = try StoreFiles.openLockFile(at: path)
        return OpenFile(descriptor: opened, fileID: FileIdentity(descriptor: opened))
    }

    /// The lines that the file has room for: each may have so many bytes.
    private static let lineBytes = 256

    /// Writes a line into the file, instead of the one that is there. Never makes the file shorter, so that a full disk has room
    /// for it.
    func write(_ line: String, at index: Int = 0) {
        let line = Array("\(line)\n".utf8)
        assert(line.count <= Self.lineBytes, "a line of a lock file is short")
        file.withLock { file in
            guard let file else { return }
            let start = off_t(index * Self.lineBytes)
            _ = unsafe line.withUnsafeBytes { unsafe pwrite(file.descriptor, $0.baseAddress, $0.count, start) }
        }
    }

    /// A line in the file, which is open; "" if there is none.
    func line(at index: Int = 0) -> String {
        file.withLock { file in
            var bytes = [UInt8](repeating: 0, count: Self.lineBytes)
            guard let file else { return "" }
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(file.descriptor, $0.baseAddress, $0.count, off_t(index * Self.lineBytes))
            }
            let end = bytes.prefix(max(count, 0)).firstIndex(of: UInt8(ascii: "\n")) ?? 0
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
    }

    /// Writes this process's number into the file, for others that wait.
    func writeHolder() { write("\(getpid())") }

    /// The process that wrote its number last.
    var holder: String {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").first.map { String($0) } ?? "unknown"
    }
}

/// The number of stores in this process.
enum StoreCount {
    private static let stores = Atomic(0)

    static func increment() { stores.add(1, ordering: .relaxed) }
    static func decrement() { stores.subtract(1, ordering: .relaxed) }

    /// Whether there are so many stores that idle ones keep few files open. With few stores, files stay open: opening a store
    /// again writes more than a save does.
    static var isHigh: Bool { stores.load(ordering: .relaxed) > 8 }
}
