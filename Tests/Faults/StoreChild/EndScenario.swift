import CRecorderCrypto
import Foundation
import RecorderTestSupport

/// A process that ends while it saves and submits.
extension StoreChild {
    /// What a program does first: it registers work for its end, which takes a moment, and may use OpenSSL itself, so that this is freed
    /// at the end, before that work.
    static func prepareEnd(usingOpenSSL: Bool) {
        atexit { usleep(60_000) }
        guard usingOpenSSL else { return }
        // Long enough for a thread to use what was freed.
        atexit { usleep(500_000) }
        OPENSSL_init_crypto(0, nil)
    }

    /// Ends in the given way, after so many microseconds: `end <exit, return or abort> <microseconds> [openssl-first]`.
    ///
    /// `count` threads are busy, so that others are in the middle of something when the process ends.
    func end() async {
        for _ in 0..<count { Thread.detachNewThread { while true { _ = getpid() } } }
        Task { await run(savers: 4, acknowledgesEarly: false) }
        await save("\(name)-first", to: "stream")
        usleep(options.dropFirst().first.flatMap { UInt32($0) } ?? 0)
        switch options.first {
        case "exit": exit(7)
        case "abort": abort()
        default: return
        }
    }
}
