import CRecorderCurl
import Foundation
import RecorderConcurrency

/// The one thread that works with libcurl's multi handle, and with every handle on it.
///
/// It waits in [curl_multi_poll](https://curl.se/libcurl/c/curl_multi_poll.html) for sockets, libcurl's own timers, the
/// next stall, or a knock by [curl_multi_wakeup](https://curl.se/libcurl/c/curl_multi_wakeup.html), the only call on a
/// multi handle that other threads may make.
final class CurlThread: Sendable {
    private struct Door {
        var multi: UnsafeMutableRawPointer?
        var arrivals: [(CurlTransfer, CurlTransfer.Answer)] = []
        var isStopping = false
    }

    private let door: Locked<Door>

    init() {
        let isStarted = CurlLibrary.start == CURLE_OK
        door = Locked(Door(multi: isStarted ? curl_multi_init() : nil))
        Thread.detachNewThread { self.run() }
    }

    /// Hands over one transfer, which is answered in every case.
    func start(_ transfer: CurlTransfer, answering answer: CurlTransfer.Answer) {
        knock { $0.arrivals.append((transfer, answer)) }
    }

    /// Makes the thread look for cancelled transfers.
    func wake() { knock { _ in } }

    /// Ends the thread; what is still under way is answered as cancelled.
    func stop() { knock { $0.isStopping = true } }

    private func knock(_ change: (inout Door) -> Void) {
        door.withLock { door in
            change(&door)
            if let multi = door.multi { curl_multi_wakeup(multi) }
        }
    }

    private func run() {
        nameCurrentThread("recorder-http")
        Self.blockBrokenPipeSignal()
        let loop = CurlLoop(multi: door.withLock { $0.multi })
        while true {
            let (arrivals, isStopping) = door.withLock { door in
                defer { door.arrivals = [] }
                return (door.arrivals, door.isStopping)
            }
            for (transfer, answer) in arrivals { loop.add(transfer, answering: answer) }
            guard !isStopping else { break }
            loop.turn()
        }
        door.withLock { $0.multi = nil }
        loop.close()
    }

    /// Blocks SIGPIPE in this thread, and in the ones that libcurl starts from here for name lookups.
    ///
    /// OpenSSL writes to sockets by `write`, which raises it where the server has closed the connection, and by default
    /// that ends the process; libcurl, told to leave signals alone, does not prevent it. The process's disposition of the
    /// signal, and all other threads, stay as they are.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// What happens within the thread; nobody else sees it.
private final class CurlLoop {
    private let multi: UnsafeMutableRawPointer?
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]

    init(multi: UnsafeMutableRawPointer?) {
        self.multi = multi
    }

    func add(_ transfer: CurlTransfer, answering answer: CurlTransfer.Answer) {
        do {
            let raw = try transfer.begin(answering: answer)
            guard !transfer.isCancelled else { return transfer.finishCancelled() }
            try check(curl_multi_add_handle(multi, raw))
            transfers[raw] = transfer
        } catch {
            transfer.finish(.failure(error))
        }
    }

    /// Moves bytes, answers what is over, and waits for the next event.
    func turn() {
        do {
            var running: CInt = 0
            try check(curl_multi_perform(multi, &running))
            collect()
            let wait = endOverdue()
            try check(curl_multi_poll(multi, nil, 0, CInt(wait), nil))
        } catch {
            // Memory or descriptors have run out. All transfers are answered, and the machine gets a moment.
            for raw in transfers.keys { end(raw) { $0.finish(.failure(error)) } }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    func close() {
        for raw in transfers.keys { end(raw) { $0.finishCancelled() } }
        curl_multi_cleanup(multi)
    }

    private func collect() {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message dies with the handle's removal, so what is needed of it comes first.
            let (kind, raw, code) = (message.pointee.msg, message.pointee.easy_handle, message.pointee.data.result)
            if kind == CURLMSG_DONE, let raw { end(raw) { $0.finish(code) } }
        }
    }

    /// Ends what was cancelled or stands still; gives the milliseconds until the next stall, an hour if there is none.
    private func endOverdue() -> Int {
        let now = ContinuousClock.now
        var next = now + .seconds(3600)
        for (raw, transfer) in transfers {
            let progress = transfer.checkProgress(now: now)
            if transfer.isCancelled {
                end(raw) { $0.finishCancelled() }
            } else if let fault = progress.fault {
                end(raw) { $0.finish(fault) }
            } else {
                next = min(next, progress.deadline)
            }
        }
        return (next - now).milliseconds
    }

    /// Answers first: taking a handle off can wait, in older libcurl, for a name lookup that hangs.
    ///
    /// The handle must be off [before it is freed](https://curl.se/libcurl/c/curl_multi_cleanup.html), and it is freed
    /// with its transfer.
    private func end(_ raw: UnsafeMutableRawPointer, _ answer: (CurlTransfer) -> Void) {
        guard let transfer = transfers.removeValue(forKey: raw) else { return }
        withExtendedLifetime(transfer) {
            answer(transfer)
            curl_multi_remove_handle(multi, raw)
        }
    }
}
