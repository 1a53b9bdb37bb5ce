import CRecorderProcess
import FoundationEssentials
import Glibc
import RecorderAWS

/// The file system of this machine.
package final class LinuxFileSystem: FileSystem {
    private let names = FileWatcher()
    private let contents = FileWatcher()
    /// Readable once the following is to end; negative if it is not ended.
    private let stop: Int32
    /// Readable after a save failed.
    private let failedSaves: (read: Int32, write: Int32)

    /// `stop` is readable from the moment on in which the following is to end.
    package init(stop: Int32 = -1) {
        self.stop = stop
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe2(&ends, O_CLOEXEC | O_NONBLOCK)
        failedSaves = (ends[0], ends[1])
    }

    deinit {
        _ = Glibc.close(failedSaves.read)
        _ = Glibc.close(failedSaves.write)
    }

    package var now: ContinuousClock.Instant { .now }

    package var time: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return FileFacts.nanoseconds(Int(time.tv_sec), Int(time.tv_nsec))
    }

    package var bootID: String {
        let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return String(text?.trimmed() ?? "")
    }

    /// Allows this process as many as the system does. The usual soft limit of 1,024 is for programs that call select(2).
    package var descriptors: Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return 1_024 }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }

    // MARK: - files

    package func open(_ path: String, followsLink: Bool) -> Int32 {
        unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW))
    }

    package func close(_ file: Int32) { _ = Glibc.close(file) }

    package func facts(of path: String, followsLink: Bool) -> FileFacts? {
        FileFacts(AT_FDCWD, path, flags: followsLink ? 0 : AT_SYMLINK_NOFOLLOW)
    }

    package func facts(of file: Int32) -> FileFacts? {
        let emptyPath: Int32 = 0x1000
        return FileFacts(file, "", flags: emptyPath)
    }

    package func read(
        _ file: Int32,
        _ range: Range<Int>,
        andThen count: Int
    ) -> (range: [UInt8], behind: [UInt8], error: Int32) {
        var (behind, error): ([UInt8], Int32) = ([], 0)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { first, firstCount in
            behind = unsafe [UInt8](unsafeUninitializedCapacity: count) { second, secondCount in
                let parts = unsafe [
                    iovec(iov_base: first.baseAddress, iov_len: range.count),
                    iovec(iov_base: second.baseAddress, iov_len: count),
                ]
                var read = unsafe preadv(file, parts, 2, range.lowerBound)
                while read < 0, errno == EINTR { read = unsafe preadv(file, parts, 2, range.lowerBound) }
                if read < 0 { error = errno }
                secondCount = max(read - range.count, 0)
                firstCount = min(max(read, 0), range.count)
            }
        }
        return (bytes, behind, error)
    }

    package func isLayered(_ file: Int32) -> Bool {
        var status = statfs()
        return unsafe fstatfs(file, &status) == 0 && UInt32(truncatingIfNeeded: status.f_type) == 0x794C_7630
    }

    /// A lease for reading is refused then. Only of a deleted file, which no program can open meanwhile; and the system tells
    /// only its owner. https://man7.org/linux/man-pages/man2/F_SETLEASE.2const.html
    package func writers(of file: Int32) -> FileFacts.Writers {
        // The C library hides this command behind _GNU_SOURCE.
        let setLease: Int32 = 1_024
        guard fcntl(file, setLease, F_RDLCK) == 0 else { return errno == EAGAIN ? .some : .unknown }
        _ = fcntl(file, setLease, F_UNLCK)
        return .none
    }

    // MARK: - directories

    package func names(in directory: String, from start: String) -> [FileName]? {
        guard let stream = unsafe opendir(directory) else { return nil }
        defer { unsafe closedir(stream) }
        var names: [FileName] = []
        errno = 0
        while let entry = unsafe readdir(stream) {
            unsafe withUnsafePointer(to: &entry.pointee.d_name) { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self, capacity: 256) {
                    guard unsafe strncmp($0, start, start.utf8.count) == 0 else { return }
                    guard unsafe strcmp($0, ".") != 0 && strcmp($0, "..") != 0 else { return }
                    let text = unsafe String(validatingCString: $0).map(FileName.text)
                    names.append(unsafe text ?? .bytes(String(cString: $0)))
                }
            }
            errno = 0
        }
        return errno == 0 ? names : nil
    }

    package func target(of link: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    // MARK: - changes

    package func watch(directory: String) -> Watch? { names.watch(directory: directory) }

    package func watch(file: Int32) -> Watch? { contents.watch(file: "/proc/self/fd/\(file)") }

    package func watch(path: String) -> Watch? { contents.watch(file: path) }

    package func unwatch(_ watch: Watch, of signal: FollowSignal) { watcher(signal).remove(watch) }

    package func changes(of signal: FollowSignal) -> Set<Watch>? { watcher(signal).changes() }

    private func watcher(_ signal: FollowSignal) -> FileWatcher { signal == .names ? names : contents }

    package func wait(for signals: Set<FollowSignal>, atMost time: Duration) -> Set<FollowSignal> {
        let signals = Array(signals)
        var waited = signals.map { pollfd(fd: descriptor(of: $0), events: Int16(POLLIN), revents: 0) }
        let milliseconds = (time / .milliseconds(1)).rounded(.up)
        guard unsafe poll(&waited, nfds_t(waited.count), Int32(milliseconds)) > 0 else { return [] }
        return Set(zip(signals, waited).filter { $0.1.revents != 0 }.map(\.0))
    }

    private func descriptor(of signal: FollowSignal) -> Int32 {
        switch signal {
        case .stop: stop
        case .names: names.readable
        case .contents: contents.readable
        case .failedSave: failedSaves.read
        }
    }

    package var tellFailedSave: @Sendable () -> Void {
        { [failedSaves] in _ = unsafe write(failedSaves.write, "!", 1) }
    }

    package func takeFailedSaves() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while unsafe Glibc.read(failedSaves.read, &bytes, bytes.count) > 0 {}
    }
}
