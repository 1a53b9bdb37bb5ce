import CRecorderCurl
import Glibc
import RecorderConcurrency

/// The only thread that uses libcurl's multi handle and the handles added to it.
///
/// It waits in [curl_multi_poll](https://curl.se/libcurl/c/curl_multi_poll.html) for sockets, libcurl's timers, the next
/// stall, or [curl_multi_wakeup](https://curl.se/libcurl/c/curl_multi_wakeup.html), the only function that other threads
/// may call on a multi handle.
final class CurlThread: Sendable {
    /// What other threads leave for this one.
    private struct Mailbox {
        var multi: UnsafeMutableRawPointer?
        var hasThread = false
        var transfers: [(CurlTransfer, CurlTransfer.Completion)] = []
        var isStopping = false
    }

    private let mailbox: Locked<Mailbox>

    init() {
        OwnDescriptors.occupyStandard()
        let isStarted = CurlLibrary.start == CURLE_OK
        mailbox = Locked(Mailbox(multi: isStarted ? Self.makeMulti() : nil))
    }

    /// Makes a multi handle of which no program that this process starts later inherits anything. libcurl opens a pair of sockets
    /// for curl_multi_wakeup without close-on-exec, and has no option for it.
    private static func makeMulti() -> UnsafeMutableRawPointer? {
        let before = inheritablePairs()
        let multi = curl_multi_init()
        for file in inheritablePairs().subtracting(before) { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
        return multi
    }

    /// The ends of pairs of sockets within this process that are open without close-on-exec; none where /proc is missing.
    private static func inheritablePairs() -> Set<Int32> {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        var pairs: Set<Int32> = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            guard let file = Int32(name), fcntl(file, F_GETFD) == 0 else { continue }
            // `struct ucred`, which Swift does not have.
            var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
            var size = socklen_t(MemoryLayout.size(ofValue: peer))
            let isSocket = getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
            if isSocket, peer.process == getpid() { pairs.insert(file) }
        }
        return pairs
    }

    /// Starts a transfer, and the thread before the first one. Its completion is always called.
    func start(_ transfer: CurlTransfer, completion: CurlTransfer.Completion) {
        let hasThread = mailbox.withLock { mailbox in
            if !mailbox.hasThread {
                mailbox.hasThread = (try? startThread(named: "recorder-http") { self.run() }) != nil
            }
            return mailbox.hasThread
        }
        guard hasThread else {
            return completion.resume(returning: .failure(HTTPFailure(.other, ThreadShortage().message)))
        }
        wake { $0.transfers.append((transfer, completion)) }
    }

    /// Makes the thread check for cancelled transfers.
    func wake() { wake { _ in } }

    /// Ends the thread. Running transfers end as cancelled.
    func stop() {
        wake { $0.isStopping = true }
        let unused = mailbox.withLock { $0.hasThread ? nil : $0.multi.take() }
        if let unused { curl_multi_cleanup(unused) }
    }

    private func wake(_ change: (inout Mailbox) -> Void) {
        mailbox.withLock { mailbox in
            change(&mailbox)
            if let multi = mailbox.multi { curl_multi_wakeup(multi) }
        }
    }

    private func run() {
        Self.blockBrokenPipeSignal()
        let loop = CurlLoop(multi: mailbox.withLock { $0.multi })
        while true {
            let (transfers, isStopping) = mailbox.withLock { mailbox in
                defer { mailbox.transfers = [] }
                return (mailbox.transfers, mailbox.isStopping)
            }
            for (transfer, completion) in transfers { loop.add(transfer, completion: completion) }
            guard !isStopping else { break }
            loop.runOnce()
        }
        mailbox.withLock { $0.multi = nil }
        loop.close()
    }

    /// Blocks SIGPIPE in this thread, and in the threads that libcurl starts from here for name lookups.
    ///
    /// OpenSSL calls `write` on sockets, which raises SIGPIPE if the server has closed the connection, and by default that
    /// ends the process. libcurl does not prevent it, because it was told not to use signals. The process's disposition of
    /// the signal and all other threads are unchanged.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// The loop of the thread. Used only by that thread.
private final class CurlLoop {
    private let multi: UnsafeMutableRawPointer?
    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]

    init(multi: UnsafeMutableRawPointer?) {
        self.multi = multi
    }

    func add(_ transfer: CurlTransfer, completion: CurlTransfer.Completion) {
        do {
            let raw = try transfer.begin(completion: completion)
            guard !transfer.isCancelled else { return transfer.finishCancelled() }
            try check(curl_multi_add_handle(multi, raw))
            transfers[raw] = transfer
        } catch {
            transfer.finish(.failure(error))
        }
    }

    /// Moves bytes, completes finished transfers, and waits for the next event.
    func runOnce() {
        do {
            var running: CInt = 0
            try check(curl_multi_perform(multi, &running))
            collect()
            let wait = endOverdue()
            try check(curl_multi_poll(multi, nil, 0, CInt(wait), nil))
        } catch {
            // Memory or file descriptors have run out. All transfers fail, and the thread pauses briefly.
            for raw in transfers.keys { end(raw) { $0.finish(.failure(error)) } }
            usleep(100_000)
        }
    }

    func close() {
        for raw in transfers.keys { end(raw) { $0.finishCancelled() } }
        curl_multi_cleanup(multi)
    }

    private func collect() {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            // The message is freed when the handle is removed, so its fields are read first.
            let (kind, raw, code) = (message.pointee.msg, message.pointee.easy_handle, message.pointee.data.result)
            if kind == CURLMSG_DONE, let raw { end(raw) { $0.finish(code) } }
        }
    }

    /// Ends cancelled and stalled transfers. Returns the milliseconds until the next check, at most an hour.
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

    /// Completes a transfer and removes its handle. In this order, because in older libcurl removing a handle can block on a
    /// name lookup.
    ///
    /// The handle must be removed [before it is freed](https://curl.se/libcurl/c/curl_multi_cleanup.html), which happens
    /// together with its transfer.
    private func end(_ raw: UnsafeMutableRawPointer, complete: (CurlTransfer) -> Void) {
        guard let transfer = transfers.removeValue(forKey: raw) else { return }
        withExtendedLifetime(transfer) {
            complete(transfer)
            curl_multi_remove_handle(multi, raw)
        }
    }
}
