import Glibc

/// An address at which nobody ever answers: connections to it neither stand nor are refused, as behind a firewall that drops.
package final class Blackhole: Sendable {
    private let listener: LocalSocket
    /// Fills the listener's queue, so that the kernel answers no further greeting.
    private let first: LocalSocket

    /// Takes a free loopback port.
    package init() throws {
        listener = try LocalSocket.loopback()
        guard listen(listener.descriptor, 0) == 0 else { throw LocalSocket.Failure(doing: "listen") }
        first = try LocalSocket.connected(to: listener.port)
    }

    /// The address, `http://127.0.0.1:<port>`.
    package var url: String { "http://127.0.0.1:\(listener.port)" }
}
