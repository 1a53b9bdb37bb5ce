import CRecorderProcess
import Glibc

/// Says when files and directories change, by inotify. That is not possible for those of another machine, or beyond a limit of
/// this one: they have to be looked at from time to time.
final class FileWatcher {
    private let descriptor: Int32

    private static let directoryEvents =
        UInt32(IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    /// One event for each call of `watch`: the writers of a busy file do not queue one for each line. Of writing alone: what
    /// becomes of the file's names is an event of its directory.
    private static let fileEvents = UInt32(IN_MODIFY) | UInt32(1 << 31)

    init() {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// For poll(2); negative if there is none.
    var readable: Int32 { descriptor }

    /// Watches the names in a directory until it is gone. nil if that is not possible. The watch is the same for the same
    /// directory; a path may lead to another one by now.
    func watch(directory: String) -> Watch? { add(directory, Self.directoryEvents) }

    /// Asks for one event of the file that has this path now, when it is written to. nil if that is not possible.
    func watch(file path: String) -> Watch? { add(path, Self.fileEvents) }

    /// Ends a watch, if it has not ended by itself.
    func remove(_ watch: Watch) { _ = inotify_rm_watch(descriptor, watch) }

    private func add(_ path: String, _ events: UInt32) -> Watch? {
        guard descriptor >= 0, !Self.isRemote(path) else { return nil }
        let watch = unsafe inotify_add_watch(descriptor, path, events)
        return watch < 0 ? nil : watch
    }

    /// The watches with events since the last call; nil if some were lost, so that all may have.
    func changes() -> Set<Watch>? {
        guard descriptor >= 0 else { return nil }
        var watches: Set<Watch> = []
        var hasLost = false
        var buffer = [UInt8](repeating: 0, count: 16 * 1_024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            var position = 0
            while position + 16 <= count {
                let (watch, mask, length) = unsafe buffer.withUnsafeBytes { bytes in
                    unsafe (
                        bytes.loadUnaligned(fromByteOffset: position, as: Int32.self),
                        bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self),
                        bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self)
                    )
                }
                position += 16 + Int(length)
                if mask & UInt32(IN_Q_OVERFLOW | IN_UNMOUNT) != 0 { hasLost = true }
                // Only that the watch has ended: after its one event, or with its file.
                if mask & UInt32(IN_IGNORED) == 0 { watches.insert(watch) }
            }
        }
        return hasLost ? nil : watches
    }

    /// Whether a file system reports no changes that other machines make.
    private static func isRemote(_ path: String) -> Bool {
        var status = statfs()
        guard unsafe statfs(path, &status) == 0 else { return false }
        // NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, Lustre, AFS
        let remote: [Int] = [
            0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x0BD0_0BD0, 0x5346_414F,
        ]
        return remote.contains(Int(status.f_type) & 0xFFFF_FFFF)
    }
}
