/// Suggests the known word that is closest to a misspelled one.
enum Suggestions {
    /// As in ` Did you mean --file?`; empty where no word is close.
    static func hint(for word: String, in known: [String]) -> String {
        let longer = word.count > 2 ? known.first { $0.hasPrefix(word) } : nil
        let near = known.map { (word: $0, distance: distance(from: Array(word), to: Array($0))) }
            .filter { $0.distance <= max(2, word.count / 3) }
            .min { $0.distance < $1.distance }
        return (longer ?? near?.word).map { " Did you mean \($0)?" } ?? ""
    }

    /// The Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours.
    private static func distance(from a: [Character], to b: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                let replacement = last[j] + (a[i] == b[j] ? 0 : 1)
                var best = min(row[j] + 1, last[j + 1] + 1, replacement)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
