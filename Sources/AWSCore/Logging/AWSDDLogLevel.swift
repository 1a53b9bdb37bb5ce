/// Which kind a log message is of; one bit each.
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
    /// Something of interest happened.
    public static let info = AWSDDLogFlag(rawValue: 4)
    /// How it happened.
    public static let debug = AWSDDLogFlag(rawValue: 8)
    /// Every step.
    public static let verbose = AWSDDLogFlag(rawValue: 16)
}

/// How much is logged: a level has the bits of all flags up to its own.
public enum AWSDDLogLevel: UInt, Sendable, CaseIterable {
    /// Nothing.
    case off = 0
    /// What failed.
    case error = 1
    /// That, and what needs attention.
    case warning = 3
    /// That, and what is of interest.
    case info = 7
    /// That, and how it happened.
    case debug = 15
    /// That, and every step.
    case verbose = 31
    /// Everything, flags of your own included.
    case all = 0xFFFF_FFFF_FFFF_FFFF

    /// Whether messages with this flag are logged.
    func includes(_ flag: AWSDDLogFlag) -> Bool {
        rawValue & flag.rawValue != 0
    }
}
