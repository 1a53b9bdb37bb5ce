import RecorderAWS

/// Decides for one record after the other whether it is left out, and finds its partition key.
struct RecordFilter {
    private let rules: RecordRules
    private var dropped: PatternMatcher?
    private var kept: PatternMatcher?
    private var keyPattern: PatternMatcher?

    /// The longest key that a service takes, in code points.
    private static let longestKey = 256
    /// The same in bytes.
    static let longestKeyBytes = longestKey * 4

    /// nil if there is nothing to decide.
    init?(_ rules: RecordRules) {
        guard rules.needsFilter else { return nil }
        self.rules = rules
        dropped = rules.dropped.map(PatternMatcher.init)
        kept = rules.kept.map(PatternMatcher.init)
        if case .pattern(let pattern)? = rules.key { keyPattern = PatternMatcher(pattern) }
    }

    var findsKeys: Bool { rules.key != nil }

    /// Whether a record is left out; it is without its delimiter.
    mutating func leavesOut(_ record: ArraySlice<UInt8>) -> Bool {
        if rules.skipsEmpty, record.isEmpty || record.count == 1 && record.first == UInt8(ascii: "\r") { return true }
        if dropped?.isFound(in: record.span) == true { return true }
        return kept?.isFound(in: record.span) == false
    }

    /// The key of a record, which is without its delimiter; nil if it does not fit the rule. `stored` is what is sent.
    mutating func key(of record: ArraySlice<UInt8>, stored: ArraySlice<UInt8>) -> String? {
        switch rules.key {
        case nil: return nil
        case .field(let name): return Self.checked(JSONMember.text(of: name, in: record))
        case .digest: return Digest.md5(stored).map(Digest.hex)
        case .pattern(let pattern):
            guard let match = keyPattern?.firstMatch(in: record.span) else { return nil }
            guard let range = pattern.hasGroup ? match.group : match.start..<match.end else { return nil }
            let bytes = record.dropFirst(range.lowerBound).prefix(range.count)
            return Self.checked(String(validating: bytes, as: UTF8.self))
        }
    }

    private static func checked(_ key: String?) -> String? {
        guard let key, !key.isEmpty else { return nil }
        // Code points are what the service counts; there are no more of them than bytes.
        return key.utf8.count <= longestKey || key.unicodeScalars.count <= longestKey ? key : nil
    }
}
