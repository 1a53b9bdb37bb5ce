/// What a child has promised so far, read from its journal as it wrote it (`StoreChild.Journal`).
struct Promises {
    /// Saved, acknowledged, and neither delivered nor given up: must be in the store.
    private(set) var owed: Set<String> = []
    /// Delivered in a submit that has ended: must not be sent again.
    private(set) var settled: Set<String> = []
    private var delivered: Set<String> = []
    private var released: Set<String> = []

    mutating func add(_ lines: [UInt8]) {
        for line in String(decoding: lines, as: UTF8.self).split(separator: "\n") {
            let text = String(line.dropFirst())
            switch line.first {
            case "+": if !delivered.contains(text), !released.contains(text) { owed.insert(text) }
            case "*":
                delivered.insert(text)
                owed.remove(text)
            case "!":
                released.insert(text)
                owed.remove(text)
            case "~": settled.formUnion(delivered)
            default: break
            }
        }
    }
}
