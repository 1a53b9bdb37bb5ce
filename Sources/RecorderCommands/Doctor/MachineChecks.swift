import RecorderEngine

/// The doctor's checks of this machine: libraries, directory, disk.
struct MachineChecks {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func findings() -> [Finding] {
        [.ok("program", text: Program.versionLine)] + LibraryChecks.loaded.findings + store()
    }

    private func store() -> [Finding] {
        var findings: [Finding] = []
        do {
            let location = try session.location(of: session.service)
            // First, because opening the store makes its directory and files private.
            let files = StoreChecks(location)
            findings += files.findings
            guard files.isUsable else { return findings }
            let status = try session.pipeline(for: session.service).status()
            let directory = files.directory ?? location.directory
            findings += [
                .ok(
                    "store",
                    text: "\(location.fileName): \(Formatting.records(status.totals.records)), "
                        + ByteCount(status.totals.bytes).description
                ),
                fileSystem(of: directory), space(in: directory, for: status),
            ]
            return findings + status.streams.compactMap(lastError)
        } catch let failure as CommandFailure {
            return findings + [.failure("directory", text: failure.message, status: failure.status)]
        } catch let error as RecorderError {
            return findings + [.failure("store", text: error.message, status: .storage)]
        } catch {
            return findings + [.failure("store", text: "\(error)", status: .storage)]
        }
    }

    private func lastError(of stream: StreamStatus) -> Finding? {
        stream.lastError.map { .warning("stream", text: "\(stream.name) was not sent last time: \($0.message)") }
    }

    private func space(in directory: String, for status: StoreStatus) -> Finding {
        guard let free = Files.freeSpace(in: directory) else {
            return .warning("disk", text: "the free space is unknown")
        }
        let text = "\(ByteCount(free)) free"
        // The files may grow to twice the limit while records are added and removed.
        let room = max(Formatting.sum(status.limits?.bytes ?? 0, -max(status.totals.bytes, 0)), 0)
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
