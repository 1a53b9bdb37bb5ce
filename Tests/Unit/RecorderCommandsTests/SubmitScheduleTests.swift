import RecorderCommands
import Testing

/// When a command that saves sends next: decided without a clock.
@Suite struct SubmitScheduleTests {
    private typealias Schedule = SubmitSchedule
    private let start = ContinuousClock.now

    /// Plays a store and a service, from one look to the next. Returns the seconds at which something was sent or tried.
    private func submits(
        _ schedule: inout Schedule,
        savesAt saves: [Double],
        isServiceUp: Bool = true,
        until end: Double,
        looks: inout Int
    ) -> [Double] {
        var (stored, submits, saves) = (0, [Double](), saves)
        func instant(_ seconds: Double) -> Schedule.Instant { start + .seconds(seconds) }
        while true {
            let now = schedule.nextLook
            let look = (now - start) / .seconds(1)
            if let save = saves.first, save < look {
                stored += 1
                _ = schedule.saved(at: instant(saves.removeFirst()))
                continue
            }
            guard look < end else { return submits }
            looks += 1
            schedule.lookBegan(at: now)
            guard schedule.found(.records(stored, bytes: stored * 100), at: now) else { continue }
            submits.append(look)
            if isServiceUp { stored = 0 }
            schedule.submitted(isServiceUp ? .useful : .failed, at: now)
        }
    }

    @Test func `a store into which nothing is saved is looked at less and less often, down to once a minute`() {
        var schedule = Schedule(nil, at: start)
        var looks = 0
        #expect(submits(&schedule, savesAt: [], until: 3_600, looks: &looks).isEmpty)
        #expect((60...66).contains(looks), "\(looks)")
    }

    @Test func `what is saved after an hour is sent within a second`() {
        var schedule = Schedule(nil, at: start)
        var looks = 0
        let submits = submits(&schedule, savesAt: [3_600, 7_200.5], until: 7_210, looks: &looks)
        #expect(submits.count == 2 && submits[0] - 3_600 < 1 && submits[1] - 7_200.5 < 1, "\(submits)")
    }

    @Test func `while records are saved all the time, they are sent once a second`() {
        var schedule = Schedule(nil, at: start)
        var looks = 0
        let saves = (0..<600).map { Double($0) / 10 }
        let submits = submits(&schedule, savesAt: saves, until: 60, looks: &looks)
        #expect((58...62).contains(submits.count) && looks <= submits.count + 2, "\(submits)")
    }

    @Test func `while the service is down it is tried less and less often, whatever is saved`() {
        var schedule = Schedule(nil, at: start)
        var looks = 0
        let saves = (0..<36_000).map { Double($0) / 10 }
        let submits = submits(&schedule, savesAt: saves, isServiceUp: false, until: 3_600, looks: &looks)
        #expect((60...67).contains(submits.count) && looks <= 3_700, "\(submits)")
    }

    @Test func `after a stream failed, what is saved is sent within a second, and the stream is tried when it is due`()
    {
        var schedule = Schedule(nil, at: start)
        schedule.lookBegan(at: start)
        _ = schedule.found(.records(1, bytes: 100), at: start)
        schedule.submitted(.waiting(until: start + .seconds(60)), at: start)
        var looks = 0
        while schedule.nextLook < start + .seconds(60) {
            let now = schedule.nextLook
            looks += 1
            schedule.lookBegan(at: now)
            _ = schedule.found(.records(1, bytes: 100), at: now)
            schedule.submitted(.waiting(until: start + .seconds(60)), at: now)
        }
        #expect(schedule.nextLook == start + .seconds(60) && looks < 8, "\(looks)")
        let isEarlier = schedule.saved(at: start + .seconds(40))
        #expect(isEarlier && schedule.nextLook < start + .seconds(41))
    }

    @Test func `while a submit is under way, what is saved is looked for within a second`() {
        var schedule = Schedule(nil, at: start)
        schedule.lookBegan(at: start)
        let isSent = schedule.found(.records(1, bytes: 100), at: start)
        #expect(isSent)
        for seconds in [0.5, 10, 100] {
            _ = schedule.saved(at: start + .seconds(seconds))
            let look = schedule.nextLook
            #expect(look <= start + .seconds(seconds + 1))
            schedule.lookBegan(at: look)
            let isSent = schedule.found(.records(2, bytes: 200), at: look)
            #expect(isSent)
        }
    }

    @Test func `while nothing can be sent at all, saves wake no sender`() {
        var schedule = Schedule(nil, at: start)
        schedule.lookBegan(at: start)
        _ = schedule.found(.unreadable, at: start)
        schedule.submitted(.failed, at: start)
        let isEarlier = schedule.saved(at: start)
        #expect(!isEarlier && schedule.nextLook == start + .seconds(2))
    }

    @Test func `a save during a look or a submit is found by a look a second later`() {
        for isUseful in [true, false] {
            var schedule = Schedule(nil, at: start)
            schedule.lookBegan(at: start)
            _ = schedule.saved(at: start)
            let isSent = schedule.found(isUseful ? .records(1, bytes: 100) : .records(0, bytes: 0), at: start)
            #expect(isSent == isUseful)
            if isSent { schedule.submitted(.useful, at: start) }
            #expect(schedule.nextLook <= start + .seconds(1))
        }
    }

    @Test func `with a buffer, records wait until it is full or the first of them is old enough`() {
        var schedule = Schedule(SendBuffer(age: .seconds(60), bytes: 10_000, records: 50), at: start)
        var looks = 0
        let early = submits(&schedule, savesAt: [10, 20], until: 200, looks: &looks)
        #expect(early == [70], "\(early)")
        #expect(looks < 15, "\(looks)")
        let burst = (0..<50).map { 300 + Double($0) / 100 }
        let full = submits(&schedule, savesAt: burst, until: 400, looks: &looks)
        #expect(full.count == 1 && (300.4..<302).contains(full[0]), "\(full)")
    }

    @Test func `records that an earlier run left are sent at once, without a wait for the buffer`() {
        var schedule = Schedule(SendBuffer(age: .seconds(60), bytes: 10_000, records: 50), at: start)
        #expect(schedule.nextLook == start)
        schedule.lookBegan(at: start)
        let isSent = schedule.found(.records(1, bytes: 100), at: start)
        #expect(isSent)
    }

    @Test func `a record waits its whole time in the buffer, after another process sent the ones before it`() {
        var schedule = Schedule(SendBuffer(age: .seconds(60), bytes: 10_000, records: 50), at: start)
        _ = schedule.saved(at: start)
        let empty = start + .seconds(1)
        schedule.lookBegan(at: empty)
        _ = schedule.found(.records(0, bytes: 0), at: empty)
        _ = schedule.saved(at: start + .seconds(80))
        for (seconds, isDue) in [(82, false), (140, true)] {
            let look = start + .seconds(seconds)
            schedule.lookBegan(at: look)
            let isSent = schedule.found(.records(1, bytes: 100), at: look)
            #expect(isSent == isDue)
        }
    }
}
