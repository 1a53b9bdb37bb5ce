import Glibc
import SimulatedMachine

/// One world, from its seed to its end. Runs in a process of its own, which controls all others.
struct World {
    let profile: Profile
    private let processes: Int
    private let streams: Int
    private let records: Int
    private let lifetime = Int64(1_000_000)

    init(_ profile: Profile) {
        self.profile = profile
        processes = Chance.number(in: profile.processes)
        streams = 1 + Chance.below(4)
        records = Chance.number(in: profile.records)
    }

    /// Returns whether every law held.
    func run() -> Bool {
        machine_register_disk()
        machine_make_directory(RecorderProcess.directory)
        machine_faults().pointee.lies_about_syncs = profile.liesAboutSyncs
        machine_faults().pointee.locks_exclude_nobody = profile.locksExcludeNobody
        for process in 1...processes { start(process) }
        for _ in 0..<profile.rounds { disturb() }
        heal()
        let isDrained = waitForEnd()
        if !isDrained { Ledger.violate("all is delivered once the faults are over", running) }
        machine_tell_files()
        look()
        check(isDrained)
        return Ledger.violations.value == 0
    }

    private var running: Int { (1...processes).count { machine_is_running(Int32($0)) } }

    private func start(_ process: Int) {
        Ledger.lives.value += 1
        let life = Ledger.lives.value
        precondition(life < Ledger.mostLives, "The world has too many lives.")
        Ledger.life(of: process).value = life
        Ledger.process(of: life).value = process
        let kind = RecorderProcess.Kind(rawValue: Chance.below(RecorderProcess.Kind.allCases.count)) ?? .recorder
        let records = Ledger.isEnding.value == 0 ? records : 0
        guard machine_fork(Int32(process)) else { return }
        let isHanging = profile.hangingProvider && process == 1
        RecorderProcess(kind, life: life, streams: streams, profile: profile, isHanging: isHanging).run(
            records: records
        )
        Ledger.process(of: life).value = -process
        machine_exit()
    }

    // MARK: faults

    private func disturb() {
        machine_sleep(Int64(Chance.below(2_000)) * 1_000_000)
        if profile.kills, Chance.oneIn(2) {
            machine_kill_after(Int32(1 + Chance.below(processes)), Int64(1 + Chance.below(400)))
        }
        if profile.powerCuts, Chance.oneIn(3) { machine_cut_power_after(Int64(1 + Chance.below(600))) }
        if profile.stalls, Chance.oneIn(3) {
            machine_stall(Int32(1 + Chance.below(processes)), Int64(Chance.below(90_000)) * 1_000_000)
        }
        if profile.clock, Chance.oneIn(4) {
            machine_set_clock(Int64(Chance.below(200_000_000) - 100_000_000) * 1_000_000)
        }
        if profile.diskErrors {
            machine_faults().pointee.disk_errors = UInt32(Chance.oneIn(2) ? 0 : Chance.below(3_000))
        }
        if profile.threads {
            machine_faults().pointee.thread_failures = UInt32(Chance.oneIn(3) ? Chance.below(200_000) : 0)
        }
        if profile.fullDisk, Chance.oneIn(3) {
            machine_set_disk_size(machine_disk_used() + Int64(Chance.below(30) * 4_096))
        }
        for stream in 0..<streams where profile.network {
            let mood = Chance.oneIn(2) ? 0 : Chance.below(Service.Mood.allCases.count)
            Ledger.mood(of: stream).value = mood
        }
        if profile.copies { copyOrRestore() }
        for stream in 0..<streams where profile.discards {
            Ledger.mood(of: stream).value = (Chance.oneIn(2) ? Service.Mood.answers : .isSlow).rawValue
        }
        restart(within: 3_000)
    }

    /// Stops all processes, and copies the store or puts the last copy back.
    private func copyOrRestore() {
        for process in 1...processes { machine_kill_after(Int32(process), 1) }
        while running > 0 { machine_sleep(1_000_000) }
        if Chance.oneIn(2) || Ledger.copies.value == 0 {
            machine_copy_files(RecorderProcess.store)
            Ledger.copies.value += 1
        } else {
            machine_restore_files(RecorderProcess.store, Chance.oneIn(2))
            Ledger.isRestored.value = 1
        }
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
        machine_faults().pointee.thread_failures = 0
        let isGone = profile.deadStream && Chance.oneIn(3)
        for stream in 0..<streams {
            Ledger.mood(of: stream).value = (isGone && stream == 0 ? Service.Mood.isMissing : .answers).rawValue
        }
        machine_sleep(1_000_000_000)
        Ledger.isEnding.value = 1
        restart(within: 100)
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
            RecorderProcess(.submitter, life: 0, streams: streams, profile: profile).look()
            machine_exit()
        }
        let end = machine_now() + 120_000_000_000
        while machine_is_running(Int32(process)), machine_now() < end { machine_sleep(10_000_000) }
    }

    private func check(_ isDrained: Bool) {
        var missing = 0
        var keys: [Int: Int] = [:]
        for entry in Ledger.entries {
            let isGone = Ledger.mood(of: entry.stream).value == Service.Mood.isMissing.rawValue
            if entry.state == .saved, entry.arrivals.value == 0, !isGone { missing += 1 }
            if entry.state == .failed, !mayFail { Ledger.violate("a save succeeds where nothing fails", entry.number) }
            if entry.arrivals.value > 0, entry.key.value != 0 {
                if let other = keys[entry.key.value] { Ledger.violate("no key names two records", other, entry.number) }
                keys[entry.key.value] = entry.number
            }
        }
        if Ledger.rescues.value > 0, !profile.liesAboutSyncs {
            Ledger.violate("no store is damaged on a disk that syncs", Ledger.rescues.value)
        }
        if isDrained, profile.discards {
            let arrived = Ledger.entries.count { $0.arrivals.value > 0 }
            if arrived != Ledger.delivered.value {
                Ledger.violate("what arrived counts as delivered", arrived, Ledger.delivered.value)
            }
        }
        let mayMiss = Ledger.discarded.value + Ledger.cleared.value
        if isDrained, Ledger.isRestored.value == 0, missing > mayMiss {
            Ledger.violate("what was saved arrives", missing, mayMiss)
        }
    }

    private var mayFail: Bool { profile.fullDisk || profile.diskErrors || profile.threads || profile.stalls }
}
