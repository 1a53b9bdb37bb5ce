import Foundation
import Glibc
import RecorderEngine
import RecorderTestSupport

/// What a child promised and what it was refused, one line each, in a file that outlives it.
///
/// A line is one `write` to a file opened for appending: what was written is with the kernel, and a killed process takes
/// none of it along.
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

    /// Something failed, and said why.
    func failed(_ error: any Error) {
        let text = (error as? RecorderError)?.message ?? "\(error)"
        write("-\(text)\n")
    }

    /// The service took these records, and said so.
    func delivered(_ texts: [String]) { write(texts.map { "*\($0)\n" }.joined()) }

    /// A limit may remove this record from now on.
    func released(_ text: String) { write("!\(text)\n") }

    /// What was delivered so far is settled.
    func settled() { write("~\n") }

    /// Something worth telling happened.
    func note(_ text: String) { write("=\(text)\n") }

    private func write(_ line: String) {
        let bytes = Array(line.utf8)
        // Injected faults may hit this call as well; a journal with a hole would prove nothing.
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else { fatalError("the journal cannot be written") }
    }
}
