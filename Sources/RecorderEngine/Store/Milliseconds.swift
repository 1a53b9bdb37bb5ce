import Foundation

extension Date {
    /// Milliseconds since 1970, as times are stored.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}
