/// What a follower asks of the system: files, their changes, and time. Used by the follower's thread only.
///
/// A file that is open has a number, as in Linux. Where a call fails, `errno` says why.
package protocol FileSystem: AnyObject {
    var now: ContinuousClock.Instant { get }
    /// In nanoseconds since 1970, as the times of files are.
    var time: Int64 { get }
    /// Identifies the time since the machine was started; empty if that is unknown.
    var bootID: String { get }
    /// How many files this process can have open.
    var descriptors: Int { get }

    /// Opens a file for reading; negative if that fails.
    func open(_ path: String, followsLink: Bool) -> Int32
    func close(_ file: Int32)
    func facts(of path: String, followsLink: Bool) -> FileFacts?
    func facts(of file: Int32) -> FileFacts?
    /// Reads the bytes of a range, and behind it at most `count` more; less at the end of the file. The third value is the number
    /// of an error, 0 if there is none.
    func read(_ file: Int32, _ range: Range<Int>, andThen count: Int) -> (range: [UInt8], behind: [UInt8], error: Int32)
    /// Whether a file is one of a container, which becomes another one with the same inode when it is written to first.
    func isLayered(_ file: Int32) -> Bool
    /// Whether a program has a deleted file open for writing.
    func writers(of file: Int32) -> FileFacts.Writers

    /// The names in a directory that begin with `start`, without those of itself and its parent; nil if it cannot be read to its
    /// end.
    func names(in directory: String, from start: String) -> [FileName]?
    /// Where a link leads; nil if there is no link.
    func target(of link: String) -> String?
    /// A path without links to the same file.
    func resolved(_ path: String) -> String?

    /// Asks for events of the names in a directory, until it is gone. nil if that is not possible. The watch is the same for the
    /// same directory; a path may lead to another one by now.
    func watch(directory: String) -> Watch?
    /// Asks for one event of an open file, when it is written to. nil if that is not possible.
    func watch(file: Int32) -> Watch?
    /// The same of the file that has this path now.
    func watch(path: String) -> Watch?
    /// Asks for no more events of a watch. The system has a limit of watches.
    func unwatch(_ watch: Watch, of signal: FollowSignal)
    /// The watches with events since the last call; nil if some were lost, so that all may have.
    func changes(of signal: FollowSignal) -> Set<Watch>?

    /// Returns the signals that there are, once there is one, or after a time.
    func wait(for signals: Set<FollowSignal>, atMost time: Duration) -> Set<FollowSignal>
    /// Ends the wait for failed saves, on any thread.
    var tellFailedSave: @Sendable () -> Void { get }
    func takeFailedSaves()
}

/// The number of what is watched.
package typealias Watch = Int32

/// What a follower waits for.
package enum FollowSignal: Sendable, Hashable, CaseIterable {
    case stop
    /// The names in a directory changed.
    case names
    /// A file changed.
    case contents
    case failedSave
}

/// A name in a directory.
package enum FileName: Sendable, Hashable {
    case text(String)
    /// It is not UTF-8; the text is like it.
    case bytes(String)
}

/// A file that is open until its last user lets go of it.
package final class OpenFile {
    private let files: OpenFiles
    private let number: Int32
    /// The number of the last error of a reading; 0 if there was none. What it read is not to be relied on then.
    package private(set) var error: Int32 = 0
    /// Before it is read again.
    func forgetError() { error = 0 }

    fileprivate init(_ number: Int32, among files: OpenFiles) {
        (self.number, self.files) = (number, files)
        files.count += 1
    }

    deinit {
        files.system.close(number)
        files.count -= 1
    }

    package var facts: FileFacts? { files.system.facts(of: number) }
    var isLayered: Bool { files.system.isLayered(number) }
    var writers: FileFacts.Writers { files.system.writers(of: number) }

    /// Asks for one event.
    func watch() -> Watch? { files.system.watch(file: number) }

    func read(_ range: Range<Int>, andThen count: Int) -> (range: [UInt8], behind: [UInt8], error: Int32) {
        let read = files.system.read(number, range, andThen: count)
        if read.error != 0 { error = read.error }
        return read
    }

    /// nil if the file is shorter, or cannot be read.
    func read(_ range: Range<Int>) -> [UInt8]? {
        let bytes = read(range, andThen: 0).range
        return bytes.count == range.count ? bytes : nil
    }
}

/// The followed files that are open, and how many may be. Used by the follower's thread only.
package final class OpenFiles {
    package let system: any FileSystem
    /// The process's limit of descriptors.
    let descriptors: Int
    let limit: Int
    fileprivate(set) var count = 0

    /// Those of the store, and 64 for sending.
    private static let others = 80
    /// Each takes some kilobytes.
    private static let most = 4_000
    private static let fewest = 16

    package init(_ system: any FileSystem) {
        self.system = system
        descriptors = system.descriptors
        limit = min(max(descriptors - Self.others, Self.fewest), Self.most)
    }

    /// How many more may be open.
    var room: Int { max(limit - count, 0) }

    /// nil, with `errno` set, if it cannot be opened.
    package func open(_ path: String, followsLink: Bool) -> OpenFile? {
        let number = system.open(path, followsLink: followsLink)
        return number < 0 ? nil : OpenFile(number, among: self)
    }
}
