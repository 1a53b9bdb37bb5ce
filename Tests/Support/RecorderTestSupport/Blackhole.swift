import Glibc

/// An address that never answers: connections are neither accepted nor refused, as behind a firewall that drops
/// packets.
package final class Blackhole: Sendable {
    private let listener: LocalSocket
    /// Fills the listener's queue, so that the kernel answers no further SYN.
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
