import Foundation
import Glibc
import RecorderConcurrency

/// A small HTTP/1.1 server on a free port, normally of the loopback interface; a script decides each answer.
///
/// ```swift
/// let server = try LocalServer { request, index in
///     index == 0 ? .error(500, "InternalFailure") : .json(200, "{}")
/// }
/// // ... post to server.url ...
/// #expect(server.requests.count == 2)
/// ```
/// The script runs on the connection's own thread and may block there (see ``Gate``). The server stops when it is
/// released, or by ``stop()``.
package final class LocalServer: Sendable {
    /// Decides what happens to a request; the number counts all requests from 0.
    package typealias Script = @Sendable (_ request: ReceivedRequest, _ index: Int) -> Reply

    /// The port that it listens on.
    package let port: UInt16

    private let core: LocalServerCore

    /// The address, such as `http://127.0.0.1:40123`.
    package let url: String

    /// How the body of a request is read.
    package enum Uploads: Sendable {
        case read
        /// The connection is reset after so many bytes.
        case reset(after: Int)
        /// With a pause after each piece of at most 64 KiB.
        case slow(pause: Duration)
    }

    /// Starts a server. Long runs can turn `keepsRequests` off.
    package init(
        on listener: LocalSocket? = nil,
        uploads: Uploads = .read,
        keepsRequests: Bool = true,
        _ script: @escaping Script
    ) throws {
        let listener = try listener ?? LocalSocket.loopback()
        port = listener.port
        url = "http://\(listener.authority)"
        // The system's default may take all of an upload at once.
        if case .slow = uploads { listener.limitReceiveBuffer() }
        guard listen(listener.descriptor, 128) == 0 else { throw LocalSocket.Failure(doing: "listen") }
        core = LocalServerCore(
            listener: listener,
            uploads: uploads,
            keepsRequests: keepsRequests,
            script: script
        )
        let core = core
        Thread.detachNewThread { core.acceptConnections() }
    }

    deinit { core.stop() }

    /// The requests so far, in order of arrival.
    package var requests: [ReceivedRequest] { core.state.withLock { $0.requests } }

    /// How many connections were accepted so far.
    package var connectionCount: Int { core.state.withLock { $0.connectionCount } }

    /// Returns once this many requests have arrived in total; their answers may not have been sent yet.
    package func received(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = core.state.withLock { state in
                if state.requestCount < count { state.waiters.append((count, continuation)) }
                return state.requestCount >= count
            }
            if isReached { continuation.resume() }
        }
    }

    /// Closes the open connections, and accepts no others. Another process may then get the port: for an address that
    /// refuses connections, use a ``LocalSocket``.
    package func stop() { core.stop() }
}

/// The state that the server's threads share; it does not keep the server alive.
final class LocalServerCore: Sendable {
    struct State {
        var requests: [ReceivedRequest] = []
        var requestCount = 0
        var connectionCount = 0
        var openConnections: [Int: CInt] = [:]
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var isStopped = false
    }

    let state = Locked(State())
    private let listener: LocalSocket
    private let uploads: LocalServer.Uploads
    private let keepsRequests: Bool
    private let script: LocalServer.Script

    init(
        listener: LocalSocket,
        uploads: LocalServer.Uploads,
        keepsRequests: Bool,
        script: @escaping LocalServer.Script
    ) {
        self.listener = listener
        self.uploads = uploads
        self.keepsRequests = keepsRequests
        self.script = script
    }

    func acceptConnections() {
        while true {
            let descriptor = accept(listener.descriptor, nil, nil)
            if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let socket = LocalSocket(owning: descriptor)
            guard let number = admit(socket) else { return }
            Thread.detachNewThread { self.serve(LocalConnection(socket: socket, number: number)) }
        }
    }

    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            for descriptor in state.openConnections.values { shutdown(descriptor, CInt(SHUT_RDWR)) }
            defer { state.waiters = [] }
            return state.waiters
        }
        shutdown(listener.descriptor, CInt(SHUT_RDWR))
        for waiter in waiters { waiter.continuation.resume() }
    }

    private func admit(_ socket: LocalSocket) -> Int? {
        state.withLock { state in
            guard !state.isStopped else { return nil }
            let number = state.connectionCount
            state.connectionCount += 1
            state.openConnections[number] = socket.descriptor
            return number
        }
    }

    private func serve(_ connection: LocalConnection) {
        while let request = connection.readRequest(uploads) {
            guard connection.send(script(request, record(request))) else { break }
        }
        _ = state.withLock { $0.openConnections.removeValue(forKey: connection.number) }
    }

    private func record(_ request: ReceivedRequest) -> Int {
        CanaryRun.note(authorization: request.header("Authorization"))
        let (index, ready) = state.withLock { state in
            if keepsRequests { state.requests.append(request) }
            state.requestCount += 1
            let count = state.requestCount
            let ready = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return (count - 1, ready)
        }
        for waiter in ready { waiter.continuation.resume() }
        return index
    }
}
