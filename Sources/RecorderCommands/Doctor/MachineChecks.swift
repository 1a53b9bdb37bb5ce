import Foundation
import RecorderEngine
import RecorderHTTP
import RecorderSQLite

/// The doctor's checks of this machine: libraries, directory, disk.
struct MachineChecks {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    func findings() -> [Finding] {
        libraries() + store()
    }

    private func libraries() -> [Finding] {
        [
            .ok("program", CommandTable.versionLine),
            .ok("libraries", "SQLite \(sqliteLibraryVersion), libcurl \(CurlLibrary.version)"),
        ]
    }

    private func store() -> [Finding] {
        var findings: [Finding] = []
        do {
            let location = try session.location(of: session.service)
            // Before the store is opened, which makes private what is not.
            let place = StoreChecks(location)
            findings += place.findings
            guard place.isUsable else { return findings }
            let status = try session.pipeline(session.service).status()
            let directory = place.directory ?? location.directory
            findings += [
                .ok(
                    "store",
                    "\(location.fileName): \(Formatting.records(status.totals.records)), "
                        + Formatting.bytes(status.totals.bytes)
                ),
                fileSystem(directory), space(directory, status),
            ]
            return findings + status.streams.compactMap(trouble)
        } catch let failure as CommandFailure {
            return findings + [.failure("directory", failure.message, nil, failure.status)]
        } catch let error as RecorderError {
            return findings + [.failure("store", error.message, nil, .storage)]
        } catch {
            return findings + [.failure("store", "\(error)", nil, .storage)]
        }
    }

    private func trouble(_ stream: StreamStatus) -> Finding? {
        stream.lastError.map { .warning("stream", "\(stream.name) was not sent last time: \($0.message)") }
    }

    private func space(_ directory: String, _ status: StoreStatus) -> Finding {
        let found = try? FileManager.default.attributesOfFileSystem(forPath: directory)[.systemFreeSize] as? NSNumber
        guard let free = found?.intValue else { return .warning("disk", "how much is free cannot be found out") }
        let text = "\(Formatting.bytes(free)) free"
        // The files may take up to twice the limit while records come and go.
        let room = max(Formatting.sum(status.limits?.bytes ?? 0, -max(status.totals.bytes, 0)), 0)
        let wanted = Formatting.sum(room, room)
        guard free >= 64 << 20 else {
            return .failure("disk", text, "Free some space, or choose another disk with --directory.", .storage)
        }
        guard free >= wanted else {
            return .warning("disk", "\(text), less than the limit asks for", "Lower --limit or free some space.")
        }
        return .ok("disk", text)
    }

    /// Records must outlive a restart, and locks between processes must work.
    private func fileSystem(_ directory: String) -> Finding {
        let type = Files.fileSystem(of: directory)
        switch type {
        case nil: return .warning("file system", "which one it is cannot be found out")
        case "tmpfs"?, "ramfs"?:
            return .warning(
                "file system",
                "in memory (\(type ?? "")): a restart of the machine loses what is stored",
                "Choose a directory on a disk with --directory."
            )
        case "nfs"?, "nfs4"?, "cifs"?, "smb3"?, "9p"?, "ceph"?, "fuse.sshfs"?:
            return .warning(
                "file system",
                "on the network (\(type ?? "")): locks between machines are not to be trusted there",
                "Choose a local directory with --directory, one for each machine."
            )
        case let local?: return .ok("file system", local)
        }
    }
}
