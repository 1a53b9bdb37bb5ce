import FoundationEssentials

/// Chance: the store, the delivery and the engine ask nothing else for it.
package enum SystemRandom {
    package static func number<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number {
        .random(in: range)
    }

    /// In the form of a UUID.
    package static func text() -> String { UUID().uuidString }
}
