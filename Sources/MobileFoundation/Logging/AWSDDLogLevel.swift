/// The kind of a log message, one bit each.
public struct AWSDDLogFlag: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// The flags with these bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Something failed.
    public static let error = AWSDDLogFlag(rawValue: 1)
    /// Something needs attention.
    public static let warning = AWSDDLogFlag(rawValue: 2)
    /// Information.
    public static let info = AWSDDLogFlag(rawValue: 4)
    /// Details for debugging.
    public static let debug = AWSDDLogFlag(rawValue: 8)
    /// Every step.
    public static let verbose = AWSDDLogFlag(rawValue: 16)
}

/// The level up to which messages are logged. A level has the bits of all flags up to its own.
public enum AWSDDLogLevel: UInt, Sendable, CaseIterable {
    /// Nothing.
    case off = 0
    /// Errors.
    case error = 1
    /// Errors and warnings.
    case warning = 3
    /// The above, and information.
    case info = 7
    /// The above, and details for debugging.
    case debug = 15
    /// The above, and every step.
    case verbose = 31
    /// Everything, including custom flags.
    case all = 0xFFFF_FFFF_FFFF_FFFF

    /// Whether messages with this flag are logged.
    func includes(_ flag: AWSDDLogFlag) -> Bool {
        rawValue & flag.rawValue != 0
    }
}
