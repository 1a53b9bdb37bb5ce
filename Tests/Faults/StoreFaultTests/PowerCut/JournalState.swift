/// What a child has acknowledged, delivered and settled so far, according to its journal (`StoreChild.Journal`).
struct JournalState {
    /// Acknowledged, and neither delivered nor released: must be in the store.
    private(set) var undelivered: Set<String> = []
    /// Delivered in a submit that has ended: must not be sent again.
    private(set) var settled: Set<String> = []
    private var delivered: Set<String> = []
    private var released: Set<String> = []

    mutating func add(_ lines: [UInt8]) {
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
