package import FoundationEssentials
import Glibc
import RecorderAWS
import RecorderSQLite

/// The clocks of a machine: the wall clock, which can be set, and the time since boot, which cannot.
package struct SystemClock: Sendable {
    /// The wall clock.
    package let now: @Sendable () -> Date
    /// The time since boot, including sleep.
    package let uptime: @Sendable () -> Duration
    /// Identifies the boot.
    package let boot: @Sendable () -> String

    package init(
        now: @escaping @Sendable () -> Date,
        uptime: @escaping @Sendable () -> Duration,
        boot: @escaping @Sendable () -> String
    ) {
        self.now = now
        self.uptime = uptime
        self.boot = boot
    }

    /// This machine's clocks.
    package static let system = SystemClock(
        now: { Date() },
        uptime: {
            var time = timespec()
            unsafe clock_gettime(CLOCK_BOOTTIME, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        },
        boot: { (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? "" }
    )
}

/// The clock that determines the age of a store's records. Setting the machine's clock does not change it.
///
/// Within a boot it advances with the time since boot. Across boots it advances with the wall clock, unless that went back, or
/// forward by more than a year: then the clock was set, and how long the machine was off is unknown. So a device without a
/// clock chip keeps records for too long instead of discarding new ones. On a machine whose clock is right, it shows the wall
/// clock's time.
struct StoreClock {
    /// The same instant by each clock.
    struct Reference {
        var boot: String
        var uptime: Int64
        var wall: Int64
        var time: Int64
    }

    private let system: SystemClock
    private let boot: String
    private var reference: Reference?

    /// The change of the wall clock, in ms, above which it counts as set.
    private static let tolerance: Int64 = 60_000
    /// A longer time between two boots, in ms, is treated as a change of the clock.
    private static let longestRest: Int64 = 366 * 86_400_000

    init(_ system: SystemClock) {
        self.system = system
        boot = String(system.boot().trimmed())
    }

    /// Called when another process may have changed the file, and after a rollback.
    mutating func forget() {
        reference = nil
    }

    /// The time now, in milliseconds; part of a write transaction.
    mutating func now(_ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
        let uptime = system.uptime().milliseconds
        let wall = system.now().milliseconds
        if let reference {
            let time = reference.time(at: uptime)
            if abs(wall - reference.wall - (uptime - reference.uptime)) <= Self.tolerance { return time }
            // The wall clock was set: continue from where it is now.
            try write(Reference(boot: boot, uptime: uptime, wall: wall, time: time), connection)
            return time
        }
        guard let stored = try Reference.read(connection) else {
            try write(Reference(boot: boot, uptime: uptime, wall: wall, time: wall), connection)
            return wall
        }
        if stored.boot == boot, stored.uptime <= uptime {
            reference = stored
            return try now(connection)
        }
        let rest = wall - stored.wall
        let time = (0...Self.longestRest).contains(rest) ? stored.time + rest : stored.time
        try write(Reference(boot: boot, uptime: uptime, wall: wall, time: time), connection)
        return time
    }

    /// The wall clock time at which this clock showed `time`.
    func date(of time: Int64, by reference: Reference?) -> Date {
        guard let reference, reference.boot == boot else { return Date(milliseconds: time) }
        let age = reference.time(at: system.uptime().milliseconds) &- time
        return Date(milliseconds: system.now().milliseconds &- age)
    }

    /// The wall clock's time less this clock's, in ms, rounded to a second: the two are read one after the other, and the times of
    /// records must not depend on when they are read.
    func offset(by reference: Reference?) -> Int64 {
        let offset = date(of: 0, by: reference).milliseconds
        return offset >= 0 ? (offset &+ 500) / 1_000 * 1_000 : (offset &- 500) / 1_000 * 1_000
    }

    private mutating func write(_ new: Reference, _ connection: SQLiteConnection) throws(SQLiteError) {
        try new.write(connection)
        reference = new
    }
}

extension StoreClock.Reference {
    /// What the store's clock shows at a time since boot.
    fileprivate func time(at uptime: Int64) -> Int64 { time + (uptime - self.uptime) }

    /// Far beyond any real time.
    private static let farthest: Int64 = 1 << 60

    /// nil if none was written, or if it is corrupted.
    static func read(_ connection: SQLiteConnection) throws(SQLiteError) -> StoreClock.Reference? {
        let row = try connection.prepare("SELECT boot, uptime, wall, time FROM clock")
        guard try row.step() else { return nil }
        let reference = StoreClock.Reference(
            boot: row.text(at: 0),
            uptime: row.integer(at: 1),
            wall: row.integer(at: 2),
            time: row.integer(at: 3)
        )
        let range = -farthest...farthest
        let isPlausible = [reference.uptime, reference.wall, reference.time].allSatisfy(range.contains)
        return isPlausible ? reference : nil
    }

    static let table = """
        CREATE TABLE clock (
            boot TEXT NOT NULL, uptime INTEGER NOT NULL, wall INTEGER NOT NULL, time INTEGER NOT NULL
        )
        """

    /// Part of a write transaction.
    func write(_ connection: SQLiteConnection) throws(SQLiteError) {
        try connection.execute("DELETE FROM clock")
        let insert = try connection.prepare("INSERT INTO clock (boot, uptime, wall, time) VALUES (?1, ?2, ?3, ?4)")
        try insert.bind(boot, at: 1)
        try insert.bind(uptime, at: 2)
        try insert.bind(wall, at: 3)
        try insert.bind(time, at: 4)
        try insert.run()
    }
}
