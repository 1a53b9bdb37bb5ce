import CRecorderCrypto
import Foundation
import RecorderTestSupport
import Synchronization

/// A process that ends while it saves and submits.
extension StoreChild {
    /// Submits that delivered something.
    private static let submits = Atomic(0)

    /// What a program does first: it registers work for its end, which waits for its records, and may use OpenSSL itself, so that
    /// this is freed at the end, before that work.
    ///
    /// The status is 8 if nothing is delivered any more.
    static func prepareEnd(usingOpenSSL: Bool) {
        atexit {
            let awaited = Self.submits.load(ordering: .relaxed) + 3
            for _ in 0..<60_000 {
                guard Self.submits.load(ordering: .relaxed) < awaited else { return }
                usleep(1_000)
            }
            _exit(8)
        }
        if usingOpenSSL { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_ADD_ALL_DIGESTS), nil) }
    }

    /// Ends in the given way, after so many microseconds: `end <exit, return or abort> <microseconds> [openssl-first]`.
    ///
    /// `count` threads are busy, so that others are in the middle of something when the process ends.
    func end() async {
        for _ in 0..<count { Thread.detachNewThread { while true { _ = getpid() } } }
        Task {
            await run(savers: 4, acknowledgesEarly: false) {
                if $0 > 0 { Self.submits.add(1, ordering: .relaxed) }
            }
        }
        await save("\(name)-first", to: "stream")
        usleep(options.dropFirst().first.flatMap { UInt32($0) } ?? 0)
        switch options.first {
        // Not on a thread that tasks run on, for there may be one only.
        case "exit": await MainActor.run { () -> Void in exit(7) }
        case "abort": abort()
        default: return
        }
    }
}
