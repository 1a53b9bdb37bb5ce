import Glibc
import RecorderAWS
import RecorderStore

/// The doctor's checks of a set-up's directory, store and disk. They change nothing.
struct MachineChecks {
    private let setup: DoctorSetup

    init(_ setup: DoctorSetup) {
        self.setup = setup
    }

    func findings() -> [Finding] {
        do throws(CommandFailure) {
            let location = try setup.session.location(of: setup.service)
            let files = StoreChecks(location)
            if setup.isOfUnit, let directory = files.directory, let owner = FileStatus(path: directory)?.owner,
                owner != geteuid()
            {
                return [
                    .ok("directory", text: "\(directory), of the user \(owner)"), foreignStore(at: location, of: owner),
                    fileSystem(of: directory), space(in: directory, for: nil),
                ]
            }
            guard files.isUsable else { return files.findings }
            var findings = files.findings + [metricsFile].compactMap(\.self)
            if let problem = files.directory.flatMap(StoreInspection.trial) {
                let advice = "Choose another directory with --directory."
                return findings + [.failure("directory", text: problem, advice: advice, status: .storage)]
            }
            findings.append(fileSystem(of: files.nearestDirectory))
            let status = Files.exists(location.path) ? store(at: location, &findings) : nil
            if status == nil, !Files.exists(location.path) { findings.append(try noStore(at: location)) }
            findings.append(space(in: files.nearestDirectory, for: status))
            return findings + (status?.streams.compactMap(lastError) ?? [])
        } catch {
            return [.failure("directory", text: error.message, status: error.status)]
        }
    }

    /// Adds whether the store is sound, and what it holds. Returns nil if it cannot be used.
    private func store(at location: StoreLocation, _ findings: inout [Finding]) -> StoreStatus? {
        do throws(RecorderError) {
            let found = try StoreVerification(at: location)
            if let damage = damage(found, at: location) {
                findings.append(damage)
                return nil
            }
            let status = try RecordStore(at: { location }).status()
            let (records, bytes) = (status.totals.records, ByteCount(status.totals.bytes))
            let others = records == 0 ? (try? otherKeys()) ?? "" : ""
            findings.append(
                .ok(
                    "store",
                    text: "\(location.fileName): \(Formatting.records(records)), \(bytes)\(others)"
                )
            )
            return status
        } catch {
            findings.append(.failure("store", text: error.sentence, status: .storage))
            return nil
        }
    }

    private func damage(_ found: StoreVerification, at location: StoreLocation) -> Finding? {
        guard let problem = found.problems.first else { return nil }
        return .failure(
            "store",
            text: "\(location.path) is damaged: \(problem)",
            advice:
                "`\(Program.name) verify` lists all problems. The next save or submit that meets the damage moves the file "
                + "aside, and sends what can be read.",
            status: .storage
        )
    }

    /// The store of a unit's user, which is only read.
    private func foreignStore(at location: StoreLocation, of owner: UInt32) -> Finding {
        guard Files.exists(location.path) else { return .ok("store", text: "\(location.fileName): none yet") }
        guard let found = try? StoreVerification(at: location) else {
            return .ok("store", text: "\(location.fileName) was not examined: it belongs to the user \(owner)")
        }
        let records = found.readable?.records ?? 0
        return damage(found, at: location)
            ?? .ok("store", text: "\(location.fileName): \(Formatting.records(records))")
    }

    private func noStore(at location: StoreLocation) throws(CommandFailure) -> Finding {
        .ok("store", text: "\(location.fileName): none yet\(try otherKeys())")
    }

    /// As in `, but 1 record under --key firehose`.
    private func otherKeys() throws(CommandFailure) -> String {
        let others = try setup.session.storesOfOtherKeys(of: [setup.service])
        return others.isEmpty ? "" : ", but \(others)"
    }

    private var metricsFile: Finding? {
        guard let path = setup.session.invocation.value(.metricsFile) else { return nil }
        do throws(OwnFile.Problem) {
            try MetricsFile.file(at: path).check()
            return nil
        } catch {
            return .failure("metrics", text: "--metrics-file \(path): \(error.text)", status: .usage)
        }
    }

    private func lastError(of stream: StreamStatus) -> Finding? {
        stream.lastError.map { .warning("stream", text: "\(stream.name) was not sent last time: \($0.message)") }
    }

    private func space(in directory: String, for status: StoreStatus?) -> Finding {
        guard let free = Files.freeSpace(in: directory) else {
            return .warning("disk", text: "the free space is unknown")
        }
        let text = "\(ByteCount(free)) free"
        // The files may grow to twice the limit while records are added and removed.
        let room = max(Formatting.sum(status?.limits?.bytes ?? 0, -max(status?.totals.bytes ?? 0, 0)), 0)
        let wanted = Formatting.sum(room, room)
        guard free >= 64 << 20 else {
            return .failure(
                "disk",
                text: text,
                advice: "Free some space, or choose another disk with --directory.",
                status: .storage
            )
        }
        guard free >= wanted else {
            return .warning(
                "disk",
                text: "\(text), less than the store may need",
                advice: "Lower --limit or free some space."
            )
        }
        return .ok("disk", text: text)
    }

    /// Records must survive a restart, and locks between processes must work.
    private func fileSystem(of directory: String) -> Finding {
        let type = Files.fileSystem(of: directory)
        switch type {
        case nil: return .warning("file system", text: "its type is unknown")
        case "tmpfs"?, "ramfs"?:
            return .warning(
                "file system",
                text: "in memory (\(type ?? "")): a restart of the machine deletes the records",
                advice: "Choose a directory on a disk with --directory."
            )
        case "nfs"?, "nfs4"?, "cifs"?, "smb3"?, "9p"?, "ceph"?, "fuse.sshfs"?:
            return .warning(
                "file system",
                text: "on the network (\(type ?? "")): locks between machines are unreliable there",
                advice: "Choose a local directory with --directory, one for each machine."
            )
        case let local?: return .ok("file system", text: local)
        }
    }
}
