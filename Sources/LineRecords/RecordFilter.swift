import RecordFormats
import RecorderAWS

extension RecordAssembler {
    /// Whether a record is left out; it is without its delimiter.
    mutating func leavesOut(_ record: ArraySlice<UInt8>) -> Bool {
        if rules.skipsEmpty, record.isEmpty || record.count == 1 && record.first == UInt8(ascii: "\r") { return true }
        if let dropped = rules.dropped, isFound(dropped, in: record) { return true }
        if let kept = rules.kept, !isFound(kept, in: record) { return true }
        return false
    }

    /// The key of a record, which is without its delimiter; nil if it does not fit the rule. `stored` is what is sent.
    mutating func key(of record: ArraySlice<UInt8>, by rule: RecordRules.Key, stored: ArraySlice<UInt8>) -> String? {
        switch rule {
        case .field(let name): return Self.checked(JSONMember.text(of: name, in: stored))
        case .digest: return Digest.md5(stored).map(Digest.hex)
        case .pattern(let pattern):
            let match = counted(pattern.match(in: record.span, findsGroup: true), of: pattern)
            // U+FFFD is how a byte that is not UTF-8 was read.
            guard case .found(let text?) = match, !text.unicodeScalars.contains("\u{FFFD}") else { return nil }
            return Self.checked(text)
        }
    }

    /// Whether a pattern is found; not if the search was given up.
    mutating func isFound(_ pattern: LinePattern, in text: ArraySlice<UInt8>) -> Bool {
        counted(pattern.match(in: text.span), of: pattern) == .found(group: nil)
    }

    private mutating func counted(_ match: PatternMatch, of pattern: LinePattern) -> PatternMatch {
        if match == .givenUp { counts.addGivenUp(.init(number: position.records + 1, pattern: pattern.source)) }
        return match
    }

    private static func checked(_ key: String?) -> String? {
        guard let key, !key.isEmpty else { return nil }
        // Code points are what the service counts; there are no more of them than bytes.
        let longest = RecordRules.longestKey
        return key.utf8.count <= longest || key.unicodeScalars.count <= longest ? key : nil
    }
}
