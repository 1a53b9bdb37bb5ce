import Foundation

/// Drains of the same backlog by each sender, in turns, beside those of the Python program.
struct DrainComparison {
    private let drains: [Drain.Sender: [Drain]]

    init(_ count: Int, bytes: Int, rounds: Int) throws {
        let senders = Drain.Sender.allCases
        let sink = try Sink()
        let rounds = try Rounds(rounds, kinds: senders.count) { kind in
            try Drain.of(count, bytes: bytes, by: senders[kind], to: sink)
        }
        drains = Dictionary(uniqueKeysWithValues: zip(senders, rounds.values))
    }

    /// A figure for each sender but the baseline: of one value of its drains, compared with the baseline's.
    func figures(
        _ name: String,
        of value: (Drain) -> Double,
        figure: (_ name: String, _ sender: Drain.Sender, _ pairs: Pairs) -> Figure
    ) -> [Figure] {
        Drain.Sender.allCases.filter { $0 != .boto3 }.map { sender in
            let pairs = Pairs(
                ours: drains[sender, default: []].map(value),
                baseline: drains[.boto3, default: []].map(value)
            )
            return figure(sender == .engine ? name : "\(name) \(sender.rawValue)", sender, pairs)
        }
    }
}
