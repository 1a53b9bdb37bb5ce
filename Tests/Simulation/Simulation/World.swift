import Glibc
import RecorderAWS
import SimulatedMachine

/// One world, from its seed to its end. Runs in a process of its own, which controls all others.
struct World {
    let profile: Profile
    private let processes: Int
    private let streams: Int
    private let records: Int
    private let laws: Laws
    private let lifetime = Int64(1_000_000)

    init(_ profile: Profile) {
        self.profile = profile
        processes = Chance.number(in: profile.processes)
        streams = profile.shares ? 2 + Chance.below(3) : 1 + Chance.below(4)
        records = Chance.number(in: profile.records)
        laws = Laws(profile: profile, settings: Settings(profile), processes: processes, streams: streams)
    }

    /// Returns whether every law held.
    func run() -> Bool {
        machine_register_disk()
        _ = RecorderLog.replaceSink { _ in }
        // Otherwise the first one that opens a store makes it.
        if profile.links || profile.hasOtherPrograms { Store.makeDirectory() }
        machine_faults().pointee.has_no_birth_times = profile.links && Chance.oneIn(3)
        machine_faults().pointee.keeps_birth_times =
            (profile.copies || profile.snapshots || profile.removals) && records % 3 == 0
        machine_faults().pointee.lies_about_syncs = profile.liesAboutSyncs
        machine_faults().pointee.locks_exclude_nobody = profile.locksExcludeNobody
        if profile.shares || profile.neverExists { Ledger.mood(of: 0).value = Service.Mood.isMissing.rawValue }
        for process in 1...processes { start(process) }
        for round in 0..<profile.rounds {
            // The first saves come at once.
            machine_sleep(Int64(Chance.below(round == 0 ? 100 : 2_000)) * 1_000_000)
            disturb()
        }
        laws.checkDelays()
        heal()
        let isDrained = waitForEnd()
        if !isDrained { Ledger.violate("all is delivered once the faults are over", running) }
        machine_tell_files()
        laws.checkWork()
        look()
        laws.check(isDrained: isDrained)
        return Ledger.violations.value == 0
    }

    /// Each store has a process more at the end, so that there is one that sends.
    private var slots: ClosedRange<Int> { 1...(processes + Store.allCases.count) }
    private var running: Int { slots.count { machine_is_running(Int32($0)) } }

    /// Starts a program; at the end one that sends the records of a store, or else of any.
    private func start(_ process: Int, for store: Store? = nil) {
        Ledger.lives.value += 1
        let life = Ledger.lives.value
        precondition(life < Ledger.mostLives, "The world has too many lives.")
        Ledger.life(of: process).value = life
        Ledger.process(of: life).value = process
        Ledger.wrongFormats(of: process).value = 0
        for stream in 0..<Ledger.mostStreams { Ledger.sharesNothing(process, to: stream).value = 0 }
        let isEnding = Ledger.isEnding.value != 0
        let candidates = (isEnding ? Program.allCases : profile.programs).filter { program in
            guard isEnding else { return true }
            if let store { return program.sends.contains(store) }
            return profile.programs.contains(program) && !program.sends.isEmpty
        }
        let program = candidates.isEmpty ? .submitter : candidates[Chance.below(candidates.count)]
        let start = ProcessStart(
            life: life,
            records: isEnding ? 0 : records,
            laws: laws,
            isHanging: profile.hangingProvider && process == 1
        )
        guard machine_fork(Int32(process)) else { return }
        machine_tell(program.rawValue, Int64(life), 0)
        program.run(start)
        Ledger.process(of: life).value = -process
        machine_exit()
    }

    // MARK: faults

    private func disturb() {
        if profile.kills, Chance.oneIn(2) {
            machine_kill_after(Int32(1 + Chance.below(processes)), Int64(1 + Chance.below(400)))
        }
        if profile.powerCuts, Chance.oneIn(3) { machine_cut_power_after(Int64(1 + Chance.below(600))) }
        if profile.stalls, Chance.oneIn(3) {
            machine_stall(Int32(1 + Chance.below(processes)), Int64(Chance.below(90_000)) * 1_000_000)
        }
        if profile.stalls {
            machine_faults().pointee.stalls = UInt32(Chance.oneIn(3) ? Chance.below(5_000) : 0)
            // Long enough for others to wait in vain for what it holds.
            if Chance.oneIn(4) { machine_sleep(Int64(10 + Chance.below(20)) * 1_000_000_000) }
        }
        if profile.stopsLeaseHolders { stopLeaseHolder() }
        if profile.clock, Chance.oneIn(4) {
            machine_set_clock(Int64(Chance.below(200_000_000) - 100_000_000) * 1_000_000)
        }
        if profile.diskErrors {
            machine_faults().pointee.disk_errors = UInt32(Chance.oneIn(2) ? 0 : Chance.below(3_000))
        }
        if profile.failsSyncs {
            machine_faults().pointee.failed_syncs = UInt32(Chance.oneIn(2) ? 0 : Chance.below(200_000))
        }
        if profile.threads {
            machine_faults().pointee.thread_failures = UInt32(Chance.oneIn(3) ? Chance.below(200_000) : 0)
        }
        // A store that begins on a full disk has no reserve.
        let isBegun = Ledger.entries.contains { $0.state == .saved }
        if profile.fullDisk, Chance.oneIn(3), isBegun {
            machine_set_disk_size(machine_disk_used() + Int64(Chance.below(30) * 4_096))
        }
        for stream in 0..<streams where profile.network {
            let most = profile.badService ? Service.Mood.allCases.count : Service.Mood.usual
            Ledger.mood(of: stream).value = Chance.oneIn(2) ? 0 : Chance.below(most)
        }
        for stream in 0..<streams where profile.reshards && Chance.oneIn(3) { Shards.change(stream) }
        if profile.slowSyncs {
            machine_faults().pointee.slow_syncs = UInt32(Chance.oneIn(2) ? Chance.below(300_000) : 0)
        }
        if profile.readOnly { machine_faults().pointee.is_read_only = Chance.oneIn(3) }
        if profile.copies { killAll() }
        if profile.copies || profile.snapshots { copyOrRestore() }
        if profile.removals, Chance.oneIn(2), isBegun { removeFiles() }
        if profile.links, Chance.oneIn(4) { machine_open_to_others(Store.allCases[Chance.below(4)].path) }
        for stream in 0..<streams where hasSlowAnswers {
            Ledger.mood(of: stream).value = (Chance.oneIn(2) ? Service.Mood.answers : .isSlow).rawValue
        }
        restart(within: 3_000)
    }

    /// Whether requests are often on their way, and nothing else happens to them.
    private var hasSlowAnswers: Bool { (profile.discards || profile.removals || profile.stalls) && !profile.network }

    /// Stops the next process that sends, as a debugger would, for so long that others wait for its lease in vain.
    private func stopLeaseHolder() {
        let end = machine_now() + 5_000_000_000
        while machine_now() < end {
            machine_sleep(Int64(1 + Chance.below(100)) * 1_000_000)
            let holder = machine_lock_holder("\(Store.kinesis.path).submit")
            guard holder > 0 else { continue }
            machine_stall(holder, Int64(60 + Chance.below(240)) * 1_000_000_000)
            return machine_sleep(Int64(Chance.below(200)) * 1_000_000_000)
        }
    }

    private func killAll() {
        for process in 1...processes { machine_kill_after(Int32(process), 1) }
        while running > 0 { machine_sleep(1_000_000) }
    }

    /// Copies the store, or puts the last copy back: a file that is in use is not overwritten, but replaced.
    private func copyOrRestore() {
        if Chance.oneIn(2) || Ledger.copies.value == 0 {
            machine_copy_files(Store.kinesis.path)
            Ledger.copies.value += 1
        } else {
            let ways =
                profile.snapshots ? [MACHINE_NEW_FILE] : [MACHINE_NEW_FILE, MACHINE_SAME_FILE, MACHINE_IMAGE]
            machine_restore_files(Store.kinesis.path, ways[Chance.below(ways.count)])
            Ledger.isRestored.value = 1
        }
    }

    /// Removes the store, or one of its locks.
    private func removeFiles() {
        let isLock = Chance.oneIn(2)
        if !isLock, Chance.oneIn(3) { machine_link_file(Store.kinesis.path, "/world/home/linked \(machine_now())") }
        let endings = isLock ? [Chance.oneIn(2) ? ".submit" : ".lock"] : ["", "-wal", "-shm"]
        for ending in endings { machine_remove_file(Store.kinesis.path + ending) }
        (isLock ? Ledger.unlockedAt : Ledger.removedAt).value = Int(machine_now())
        machine_tell("removed \(endings[0])", 0, 0)
    }

    /// Starts what was killed.
    private func restart(within milliseconds: Int) {
        machine_sleep(Int64(Chance.below(milliseconds)) * 1_000_000)
        for process in 1...processes where !machine_is_running(Int32(process)) {
            start(process)
        }
    }

    /// Lifts all faults that pass; a full disk stays full, and a stream that is gone stays gone.
    private func heal() {
        machine_spare_all()
        machine_faults().pointee.disk_errors = 0
        machine_faults().pointee.failed_syncs = 0
        machine_faults().pointee.thread_failures = 0
        machine_faults().pointee.stalls = 0
        machine_faults().pointee.slow_syncs = 0
        machine_faults().pointee.is_read_only = false
        let isGone = profile.shares || profile.neverExists || profile.deadStream && Chance.oneIn(3)
        let gone = Chance.oneIn(3) ? Service.Mood.hasAnError : .isMissing
        for stream in 0..<streams {
            Ledger.mood(of: stream).value = (isGone && stream == 0 ? gone : .answers).rawValue
        }
        machine_sleep(1_000_000_000)
        Ledger.healed.time.value = Int(machine_now())
        Ledger.healed.requests.value = Ledger.requests.value
        Ledger.healed.calls.value = Int(machine_disk_calls())
        Ledger.healed.left.value = Ledger.entries.count { $0.arrivals.value == 0 }
        Ledger.isEnding.value = 1
        restart(within: 100)
        for store in Store.allCases where profile.hasOtherPrograms && !Laws.isUnused(store) {
            start(processes + 1 + store.rawValue, for: store)
        }
    }

    // MARK: the end

    /// Waits until all processes have ended; false if that takes half an hour.
    private func waitForEnd() -> Bool {
        let end = machine_now() + 1_800_000_000_000
        while running > 0, machine_now() < end { machine_sleep(100_000_000) }
        return running == 0
    }

    private func look() {
        let process = Int(MACHINE_PROCESSES) - 1
        guard !machine_fork(Int32(process)) else {
            let isUsed = !Laws.isUnused(.kinesis) || !profile.hasOtherPrograms
            if isUsed { RecorderProcess(.submitter, ProcessStart(life: 0, records: 0, laws: laws)).look() }
            for store in Store.allCases where store != .kinesis && !Laws.isUnused(store) { laws.look(into: store) }
            if profile.links { laws.checkPlaces() }
            machine_exit()
        }
        let end = machine_now() + 120_000_000_000
        while machine_is_running(Int32(process)), machine_now() < end { machine_sleep(10_000_000) }
    }
}
