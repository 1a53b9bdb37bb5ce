/// What a child has acknowledged, delivered and settled so far, according to its journal (`StoreChild.Journal`).
struct JournalState {
    /// Acknowledged, and neither delivered nor released: must be in the store.
    private(set) var undelivered: Set<String> = []
    /// Delivered in a submit that has ended: must not be sent again.
    private(set) var settled: Set<String> = []
    /// Delivered in a submit that goes on, and answered so long ago that it must not be sent again.
    private(set) var answeredBefore: Set<String> = []
    /// The last answers: of seven the settles may not be synced, and of two streams one may be settled while the next is journaled.
    private var lastAnswers: [Set<String>] = []
    private static let mostRepeated = 7 + 2 * 2
    private var delivered: Set<String> = []
    private var released: Set<String> = []

    /// Lines that were written at once: an answer has one for each record.
    mutating func add(_ lines: [UInt8]) {
        if lines.first == UInt8(ascii: "*") {
            let texts = String(decoding: lines, as: UTF8.self).split(separator: "\n").map { String($0.dropFirst()) }
            lastAnswers.append(Set(texts))
        }
        if lastAnswers.count > Self.mostRepeated { answeredBefore.formUnion(lastAnswers.removeFirst()) }
        for line in String(decoding: lines, as: UTF8.self).split(separator: "\n") {
            let text = String(line.dropFirst())
            switch line.first {
            case "+": if !delivered.contains(text), !released.contains(text) { undelivered.insert(text) }
            case "*":
                delivered.insert(text)
                undelivered.remove(text)
            case "!":
                released.insert(text)
                undelivered.remove(text)
            case "~": settled.formUnion(delivered)
            default: break
            }
        }
    }
}
