extension Duration {
    /// A time limit from a number of seconds that a user gave, at most ten years; nil for what is not a positive number.
    ///
    /// `Duration.seconds` traps for numbers that it cannot hold, and for what is no number.
    package init?(limitInSeconds seconds: Double) {
        guard seconds > 0, seconds.isFinite else { return nil }
        self = .seconds(min(seconds, 10 * 365 * 24 * 3600))
    }

    /// A pause from a number of seconds that a user gave: none for what is negative or no number, and at most `longest`.
    package init(pauseInSeconds seconds: Double, longest: Duration) {
        let limit = longest / .seconds(1)
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, 0), limit))
    }
}
