/// How much a flow reads while its store takes less than is written: a value, without clock, disk or network.
///
/// | state | `refused` | `stored` |
/// |---|---|---|
/// | pieces of 128 KiB | full: pieces of a quarter of that; else a pause | the same |
/// | smaller pieces, 512 bytes at least | the same; full at 512 bytes: a pause | all was read: 128 KiB; else twice the size |
/// | a pause | a longer one: 500 ms at most while full, else 10 s | as without it |
///
/// A pause is told once, until pieces have their full size again: at once if the store fails, after 3 s if it is full. A full
/// store has room again as soon as something is sent.
struct ReadingPace: Sendable, Hashable {
    typealias Instant = ContinuousClock.Instant

    /// Nothing is read until its end.
    private struct Pause: Hashable {
        var since: Instant
        var length: Duration
        var end: Instant
    }

    /// The most bytes that are read of a file at a time.
    private(set) var pieceSize = largestPiece
    private var pause: Pause?
    /// Whether the log says that reading has stopped.
    private(set) var isTold = false

    private static let (largestPiece, smallestPiece) = (128 * 1_024, 512)
    private static let untoldTime = Duration.seconds(3)

    /// Until when nothing is read.
    var end: Instant? { pause?.end }

    /// Whether the next piece shows what the store takes.
    var isCareful: Bool { pause != nil || pieceSize < Self.largestPiece }

    func mayRead(at now: Instant) -> Bool { pause.map { $0.end <= now } ?? true }

    /// The store took nothing, because it is full or fails. True if the log is to say so.
    mutating func refused(isFull: Bool, at now: Instant) -> Bool {
        if isFull, pieceSize > Self.smallestPiece {
            pieceSize = max(pieceSize / 4, Self.smallestPiece)
            return false
        }
        let since = pause?.since ?? now
        let length = min((pause?.length ?? .milliseconds(250)) * 2, isFull ? .milliseconds(500) : .seconds(10))
        pause = Pause(since: since, length: length, end: now + length)
        guard !isTold, !isFull || now - since >= Self.untoldTime else { return false }
        isTold = true
        return true
    }

    /// The store took a piece, the last one of its file if `isAtEnd`. True if the log is to say that reading goes on.
    mutating func stored(isAtEnd: Bool) -> Bool {
        pieceSize = isAtEnd ? Self.largestPiece : min(pieceSize * 2, Self.largestPiece)
        pause = nil
        guard isTold, pieceSize == Self.largestPiece else { return false }
        isTold = false
        return true
    }
}
