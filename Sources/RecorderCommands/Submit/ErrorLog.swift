/// What a watch has said to be wrong, so that it is said once, and once that it is over.
struct ErrorLog {
    private let console: Console
    private var told: [String: [String]] = [:]

    init(_ console: Console) {
        self.console = console
    }

    /// Takes all that is wrong with a service now. Returns whether anything changed.
    @discardableResult
    mutating func take(_ troubles: [String], of service: String) -> Bool {
        let before = told.updateValue(troubles, forKey: service) ?? []
        for trouble in troubles where !before.contains(trouble) { console.error("\(service): \(trouble)") }
        if troubles.isEmpty, !before.isEmpty { console.progress("\(service): it works again.") }
        return troubles != before
    }
}
