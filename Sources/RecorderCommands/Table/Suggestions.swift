/// Finds what somebody may have meant.
enum Suggestions {
    /// As in ` Did you mean --file?`, or nothing where no word is near.
    static func hint(for word: String, in known: [String]) -> String {
        let longer = word.count > 2 ? known.first { $0.hasPrefix(word) } : nil
        let near = known.map { (word: $0, distance: distance(Array(word), Array($0))) }
            .filter { $0.distance <= max(2, word.count / 3) }
            .min { $0.distance < $1.distance }
        return (longer ?? near?.word).map { " Did you mean \($0)?" } ?? ""
    }

    /// How many letters must be put in, taken out, exchanged for another or for their neighbour.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var before: [Int] = []
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                let exchange = last[j] + (a[i] == b[j] ? 0 : 1)
                var best = min(row[j] + 1, last[j + 1] + 1, exchange)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, before[j - 1] + 1) }
                row.append(best)
            }
            before = last
            last = row
        }
        return last[b.count]
    }
}
