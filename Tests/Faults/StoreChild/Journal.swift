import Foundation
import Glibc
import RecorderStore
import RecorderTestSupport

/// A child's acknowledged records and failures, one line each, in a file that outlives the child.
///
/// A line is one `write` to a file opened for appending: the kernel has it then, so killing the process loses none of
/// it.
struct Journal: Sendable {
    let path: String
    private let file: Int32

    init(_ path: String) {
        self.path = path
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        guard file >= 0 else { fatalError("\(path) cannot be opened: \(String(cString: strerror(errno)))") }
    }

    /// The record with this text was acknowledged.
    func acknowledged(_ text: String) { write("+\(text)\n") }

    /// An operation failed with this error.
    func failed(_ error: any Error) {
        let text = (error as? RecorderError)?.message ?? "\(error)"
        write("-\(text)\n")
    }

    /// The service accepted these records.
    func delivered(_ texts: [String]) { write(texts.map { "*\($0)\n" }.joined()) }

    /// A limit may remove this record from now on.
    func released(_ text: String) { write("!\(text)\n") }

    /// Everything delivered so far is settled.
    func settled() { write("~\n") }

    /// Any other event.
    func note(_ text: String) { write("=\(text)\n") }

    private func write(_ line: String) {
        let bytes = Array(line.utf8)
        // Injected faults may hit this call as well; a journal with gaps would prove nothing.
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { fatalError("the journal cannot be written") }
    }
}
