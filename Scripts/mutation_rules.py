"""The rules that `Scripts/mutations` breaks: what to replace by what, and the tests that should notice."""

from dataclasses import dataclass

STORE = "Sources/RecorderStore/"
DELIVERY = "Sources/RecorderDelivery/"
AWS = "Sources/RecorderAWS/"
HTTP = "Sources/RecorderHTTP/"


@dataclass(frozen=True)
class Rule:
    name: str
    filter: str
    changes: tuple


def rule(name, pattern, *changes):
    return Rule(name, pattern, changes)


RULES = [
    # aggregation
    rule(
        "shares entries on a stream that distributes by itself", "StreamLookupTests",
        (DELIVERY + "Send/StreamLookups.swift", "guard !settings.distributesRecords else", "guard !settings.distributesRecords || settings.distributesRecords else"),
    ),
    rule(
        "an entry in another shard than its key's counts as delivered", "StreamLookupTests",
        (DELIVERY + "Send/BatchSender.swift", "where !isInPlace { outcomes", "where isInPlace && !isInPlace { outcomes"),
    ),
    rule(
        "sends the next batch with shared entries after a misplaced one", "StreamLookupTests",
        (
            DELIVERY + "Settle/StreamDelivery+Settlements.swift",
            "if outcomes.contains(where: \\.isMisplaced) { return .separates(because: nil) }",
            "",
        ),
    ),
    # store
    rule(
        "acknowledges before the commit", "FaultRows/(Kill|Syscalls)",
        (
            STORE + "Save/SaveQueue.swift",
            "let receipt = try store.append(remaining, before: first.deadline)",
            "let receipt = AppendReceipt()\n"
            "                defer { _ = try? store.append(remaining, before: first.deadline) }",
        ),
    ),
    rule(
        "synchronous=NORMAL", "FaultRows/PowerCut",
        (STORE + "Store/Tables/StoreSchema.swift", "PRAGMA synchronous = FULL", "PRAGMA synchronous = NORMAL"),
    ),
    rule(
        "the log is synced before a commit is in it", "FaultRows/PowerCut",
        (
            "Sources/RecorderSQLite/BufferingVFS+Syncs.swift",
            "        afterFlush { isLog ? syncLog(flags) : syncDatabase(flags) }",
            "        isLog ? syncLog(flags) : syncDatabase(flags)",
        ),
    ),
    rule(
        "a settle is never synced", "FaultRows/PowerCut",
        (STORE + "Store/StoreWriter.swift", "mostUnsynced = 7\n", "mostUnsynced = 1_000_000\n"),
    ),
    rule(
        "the end of a flush syncs no settle", "FaultRows/PowerCut",
        (DELIVERY + "Flush/ParallelStreamFlush.swift", "        await flush.store.makeSettlesDurable()\n        end(", "        end("),
    ),
    rule(
        "the log is not written again after a failed sync", "FaultRows/PowerCut",
        ("Sources/RecorderSQLite/BufferingVFS+Syncs.swift", "unsynced = writeAgain() == SQLITE_OK ?", "unsynced = code != SQLITE_OK ?"),
    ),
    rule(
        "the database is not copied again after a failed sync", "FaultRows/PowerCut",
        ("Sources/RecorderSQLite/BufferingVFS+Syncs.swift", "if code != SQLITE_OK { file.pointee.index?", "if code == SQLITE_NOMEM { file.pointee.index?"),
    ),
    rule(
        "entries of a batch are taken in the order of its records", "SharedEntryTests",
        (
            DELIVERY + "Batch/Batch.swift",
            "isInOrder = entries.count == records.count && records.indices.allSatisfy { records[$0].entry == $0 }",
            "isInOrder = entries.count == records.count",
        ),
    ),
    rule(
        "a batch is read by the number of its stream alone", "ReplacedFileTests",
        (STORE + "Store/StoreReader.swift", "WHERE number = ?1 AND name = ?2", "WHERE number = ?1 AND ?2 <> ''"),
    ),
    rule(
        "a copy of a store's file passes for it", "ReplacedFileTests",
        (STORE + "Store/Tables/StoreSchema.swift", "self.init(number: number, file: file)", "self.init(number: number, file: nil)"),
    ),
    rule(
        "a new store's directories are not synced", "FaultRows/PowerCut",
        (STORE + "Store/Files/StoreDirectory.swift", "{ makeDirectoriesDurable(above: path) }", "{}"),
    ),
    rule(
        "no lock between processes", "FaultRows/HeldLock",
        (STORE + "Store/Files/StoreLock.swift", "if try tryLock() { return }", "if true { return }"),
    ),
    rule(
        "no reserve on a full disk", "FaultRows/Disk",
        (STORE + "Store/Files/StoreReserve.swift", "unsafe unlink(path) == 0", "false"),
    ),
    rule(
        "no space is allocated for settling", "FaultRows/FullDisk",
        (STORE + "Store/StoreWriter.swift", "if purpose == .storing, ledger.records > 0 {", "if false {"),
    ),
    rule(
        "forgets what cannot be settled", "UnsettledAnswerTests",
        (DELIVERY + "Send/SettleGuard.swift", "state.unsettled.append((answer, error))", ""),
    ),
    rule(
        "a stream with an unsettled answer is sent from its beginning", "UnsettledAnswerTests",
        (DELIVERY + "Flush/StreamFlush.swift", "context.settles.firstUnsettled(of: stream.name) ?? .max", ".max"),
    ),
    rule(
        "evicts the newest", "LimitTests",
        (STORE + "Store/Tables/StreamHeads.swift", "head.records.popFirst()", "head.records.popLast()"),
    ),
    rule(
        "a dead stream evicts the others", "StreamShareTests|LimitTests",
        (STORE + "Model/StreamShares.swift", "(element.bytes, other.stream) > (other.bytes, element.stream)", "element.bytes < other.bytes"),
    ),
    rule(
        "a full store refuses every stream", "StreamShareTests",
        (STORE + "Model/StreamShares.swift", "let isWithinShare = streams > 1 &&", "let isWithinShare = false &&"),
    ),
    rule(
        "a slow stream keeps the space of the others", "StreamShareTests",
        (STORE + "Store/StoreWriter+Save.swift", "if hasBegunSegment, try isSparse(ledger)", "if false, try isSparse(ledger)"),
    ),
    rule(
        "what is cleared in flight and accepted is not delivered", "RemovedInFlightTests",
        (STORE + "Store/StoreWriter+Settle.swift", "recount.cleared = take(now.cleared &- start.cleared &- moved.cleared)", "recount.cleared = 0"),
    ),
    rule(
        "what is removed meanwhile is sent", "RemovedInFlightTests",
        (DELIVERY + "Batch/Batch.swift", "return entries.isEmpty ? nil : keeping(records.filter { entries.contains($0.entry) })", "return self"),
    ),
    rule(
        "a record that may be too large does not hold back its key", "KeepsOrderTests",
        (
            DELIVERY + "Settle/StreamDelivery.swift",
            "refusalOfKept ?? refused.candidates.first(where: \\.mayBeTooLarge)?.refusal",
            "refusalOfKept",
        ),
    ),
    rule(
        "throttling slows an ordered stream down", "KeepsOrderTests",
        (DELIVERY + "Send/StreamRateLimiter.swift", "if pace == .order { return }", ""),
    ),
    rule(
        "a limit is enforced in one transaction", "LimitStepTests",
        (STORE + "Store/StoreWriter+Limits.swift", "if cost < Self.mostDiscarded ||", "if cost < .max ||"),
    ),
    rule(
        "what was settled meanwhile is evicted", "LimitStepTests|ModelTests",
        (
            STORE + "Store/Tables/OldestRecords.swift",
            "if try current.isFresh ? true : isStored(entry) { return entry }",
            "if try current.isFresh ? true : isStored(entry) || true { return entry }",
        ),
    ),
    rule(
        "a clock that is set expires records", "ClockTests",
        (STORE + "Store/Tables/StoreClock.swift", "let time = reference.time(at: uptime)", "let time = wall"),
    ),
    rule(
        "each group of saves waits again", "SaveQueueTests",
        (
            STORE + "Save/SaveQueue.swift",
            "store.append(remaining, before: first.deadline)", "store.append(remaining, before: .now + .seconds(1))",
        ),
    ),
    rule(
        "a save is stored although one before it failed", "InterruptedSaveTests",
        (STORE + "Save/SaveQueue.swift", "var remaining = failingStopped(group)", "var remaining = group"),
    ),
    rule(
        "rows of a stream's earlier number are sent", "StreamRowTests",
        (STORE + "Store/Tables/StoreStatements.swift", "try addStream.bind(next - 1, at: 3)", "try addStream.bind(0, at: 3)"),
    ),
    rule(
        "a lease whose file was removed counts", "RemovedLeaseTests",
        (STORE + "Store/Files/SubmitLease.swift", "guard !lock.isEffective else { return }", "guard false else { return }"),
    ),
    rule(
        "codes about keys and tokens delete", "OutcomeTableTests",
        (
            "Sources/RecorderAWS/Failure/InvalidInputCodes.swift",
            "return !foreignWords.contains(where: lowercased.contains)", "return !lowercased.isEmpty",
        ),
    ),
    rule(
        "an answer may trickle forever", "ProgressWatchTests",
        (
            "Sources/RecorderHTTP/ProgressWatch.swift",
            "if now >= start + timeouts.stall, movedSinceStart >= minimumBytes {", "if now >= start + timeouts.stall {",
        ),
    ),
    rule(
        "files that anyone can read", "StoreTests",
        (
            STORE + "Store/Files/StoreDirectory.swift",
            "O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600", "O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644",
        ),
    ),
    rule(
        "links in a store's path are not followed", "LinkedDirectoryTests",
        (STORE + "Store/Files/StoreDirectory.swift", "let directory = try PrivateDirectory.resolve(location.directory)",
         "let directory = true ? location.directory : try PrivateDirectory.resolve(location.directory)"),
    ),
    rule(
        "a changed link is not noticed", "LinkedDirectoryTests",
        (STORE + "Store/StoreWriter.swift", "namedPath = location.path", "namedPath = path"),
    ),
    rule(
        "other users' files are taken", "StoreRightsTests",
        (STORE + "Store/Files/StoreFiles.swift", "if let wrong = FileRights.problem(ofFile: path, status) ??", "if let wrong ="),
    ),
    rule(
        "files that were opened to others stay so", "StoreRightsTests",
        (STORE + "Store/Files/StoreFiles.swift", " ?? FileRights.makePrivate(path, status: status)", ""),
    ),
    rule(
        "directories that others can write are taken", "StoreRightsTests",
        (AWS + "State/FileRights.swift", "guard status.othersCanWrite else", "guard false else"),
    ),
    rule(
        "a store goes on writing to a removed file", "FaultRows/Disk",
        (STORE + "Store/StoreConnections.swift", "guard let open = writer, open.hasMoved() else", "guard writer == nil else"),
    ),
    rule(
        "damage is a permanent error", "RescueTests",
        (STORE + "Store/StoreConnections.swift", "if error.isCorrupt || error.isInternal, !recovery.hasRepaired {", "if false {"),
    ),
    rule(
        "a sound file is replaced after any error", "InternalErrorTests",
        (STORE + "Store/StoreConnections.swift", "if !error.isCorrupt {\n", "if false {\n"),
    ),
    rule(
        "wrong counts are not corrected", "InternalErrorTests",
        (
            STORE + "Store/StoreExamination.swift",
            "try verification.counts?.write(connection)", "",
        ),
    ),
    rule(
        "changes by other programs are not noticed", "RestoredStoreTests",
        (STORE + "Store/Files/StoreWriteLock.swift", "if found != left, found.text != lock.line() { isForeign = true }", "_ = found"),
    ),
    rule(
        "a log that was overwritten is used on", "RestoredStoreTests",
        (STORE + "Store/StoreWriter.swift", "guard !lock.hasMoved(log), !lock.isLogChanged || connection.hasWholeLog else {", "guard !lock.hasMoved(log) else {"),
    ),
    rule(
        "the content of a log that was replaced is given up", "RestoredStoreTests",
        (STORE + "Store/Files/LogFiles.swift", "inUse == open.text && isWhole && isDatabaseOurs ? .replaced : .lost", ".lost"),
    ),
    rule(
        "a store keeps its identity after a boot", "RestoredStoreTests",
        (STORE + "Store/Tables/KeySources.swift", "\\(FilePlace(file)?.description ?? \"\") \\(Self.boot(clock))", "\\(FilePlace(file)?.description ?? \"\")"),
    ),
    rule(
        "another user's store is read with SQLite's locks", "ReadOnlyCommandTests",
        (STORE + "Store/ReadOnlyStore.swift", "StoreFiles.areWritable(path) ||", "true ||"),
    ),
    rule(
        "ignores the age limit at submit", "LimitTests",
        (DELIVERY + "Flush/StoreFlush.swift", "store.expire(after: policy.limits.age)", "store.expire(after: .zero)"),
    ),
    rule(
        "the counts of a truncated row are believed", "RescueTests",
        (STORE + "Store/Recovery/DamagedStore.swift", " AND saved_bytes > 0", ""),
    ),
    rule(
        "a lack of descriptors is not named", "DescriptorTests",
        ("Sources/RecorderAWS/State/PathDiagnosis.swift", "case EMFILE:", "case EMFILE where false:"),
    ),
    rule(
        "a forked process uses its parent's store", "FaultRows/Fork",
        (STORE + "Store/Files/ForkedProcess.swift", "isChild.load(ordering: .relaxed) else", "false else"),
    ),
    rule(
        "a forked child keeps its parent's locks", "FaultRows/Fork",
        (STORE + "Store/Files/ForkedProcess.swift", "OwnDescriptors.closeAll()", ""),
    ),
    rule(
        "a store is located anew for its lease", "StorePlaceTests",
        (
            STORE + "Store/StoreConnections.swift",
            "if let known = place.withLock({ $0.location }) { return known }", "place.withLock { $0.location = nil }",
        ),
    ),
    rule(
        "an option is set with all others", "OptionRaceTests",
        (
            "Sources/RecorderEngine/RecordPipeline.swift", "settings.policy.withLock { change(&$0) }",
            "var all = policy\n        change(&all)\n        settings.policy.withLock { [all] in $0 = all }",
        ),
    ),
    rule(
        "OpenSSL is freed while threads use it", "FaultRows/Ends",
        ("Sources/RecordFormats/CryptoLibrary.swift", "UInt64(OPENSSL_INIT_NO_ATEXIT)", "0"),
    ),
    rule(
        "programs inherit connections", "ConnectionDescriptorTests",
        (HTTP + "CurlHandle.swift", "address.socktype | CInt(SOCK_CLOEXEC.rawValue)", "address.socktype"),
    ),
    # batch
    rule(
        "partition keys do not count in a request", "BatchLimitTests|FlushTests",
        (DELIVERY + "Batch/BatchEncoder.swift", "let bytes = data.count + key.count", "let bytes = data.count"),
    ),
    # send
    rule(
        "follows redirects", "CurlTransportTests|BrokenAnswerTests",
        (HTTP + "CurlHandle.swift", "CURLOPT_FOLLOWLOCATION, 0)", "CURLOPT_FOLLOWLOCATION, 1)"),
    ),
    rule(
        "does not verify certificates", "CurlTLSTests|TLSTests",
        (HTTP + "CurlHandle.swift", "CURLOPT_SSL_VERIFYPEER, 1)", "CURLOPT_SSL_VERIFYPEER, 0)"),
    ),
    rule(
        "does not verify host names", "CurlTLSTests|TLSTests",
        (HTTP + "CurlHandle.swift", "CURLOPT_SSL_VERIFYHOST, 2)", "CURLOPT_SSL_VERIFYHOST, 0)"),
    ),
    rule(
        "reads endless answers", "CurlFaultTests|BrokenAnswerTests",
        (HTTP + "CurlTransfer.swift", "isTooLarge = piece.count > request.maximumResponseBytes - response.body.count", "isTooLarge = false"),
    ),
    rule(
        "shows a token", "RecorderAWSTests.CredentialsTests",
        (AWS + "Credentials/Credentials.swift", '"Credentials(redacted)"', '"Credentials(\\(sessionToken ?? ""))"'),
    ),
    rule(
        "expired credentials are not renewed", "CallRetryTests|AccessTests",
        (AWS + "Call/CallAttempts.swift", "takeRenewal() ? .renewCredentials : .giveUp", ".giveUp"),
    ),
    rule(
        "a wrong clock is not corrected", "CallRetryTests|AccessTests",
        (AWS + "Call/CallAttempts.swift", "case .clockSkew where !hasCorrected:", "case .clockSkew where false:"),
    ),
    rule(
        "retries forever", "CallRetryTests",
        (AWS + "Call/CallAttempts.swift", "guard retries < maximumRetries else { return .giveUp }", ""),
    ),
    rule(
        "each caller fetches its own keys", "CredentialsCacheTests",
        ("Sources/RecorderConcurrency/SingleFlight.swift", "guard !state.isFlying else", "guard !state.isFlying || state.isFlying else"),
    ),
    # settle
    rule(
        "deletes before the answer", "FlushTests|OfflineTests",
        (
            DELIVERY + "Flush/StreamFlush.swift",
            "        let first = await request.answer()\n",
            "        let outcomes = Array(repeating: Outcome.delivered, count: request.batch.records.count)\n"
            "        await loop.perform { $0.answeredLate(request.batch, .outcomes(outcomes)) }\n"
            "        let first = await request.answer()\n",
        ),
    ),
    rule(
        "trusts the answer's counter", "PutAnswerTests|FlushTests",
        (
            DELIVERY + "Send/PutAnswer.swift",
            "var scanner = AnswerScanner(body, service: service)",
            'if String(decoding: body, as: UTF8.self).contains("\\"FailedRecordCount\\":0") {\n'
            "            self = .outcomes(Array(repeating: .delivered, count: records))\n"
            "            return\n"
            "        }\n"
            "        var scanner = AnswerScanner(body, service: service)",
        ),
    ),
    rule(
        "no error code counts as delivered", "PutAnswerTests|FlushTests",
        (DELIVERY + "Send/PutAnswer.swift", "return proof?.isEmpty == false ? .delivered : .unproven", "return .delivered"),
    ),
    rule(
        "no error code in CBOR counts as delivered", "CBORRequestTests|PutAnswerFuzzTests",
        (
            DELIVERY + "Send/CBORAnswerScanner.swift",
            "return proof?.isEmpty == false ? .delivered : .unproven",
            "return .delivered",
        ),
    ),
    rule(
        "signs JSON with the digest of CBOR", "SignedBodyTests",
        (
            DELIVERY + "Batch/Batch.swift",
            "isWhole && format == self.format ? digestAsRead : nil",
            "isWhole ? digestAsRead : nil",
        ),
    ),
    rule(
        "sends records again that an answer in JSON accepted", "FormatFallbackTests",
        (
            DELIVERY + "Send/BatchSender.swift",
            "return Exchange(answer: .outcomes(batch.outcomes(ofEntries: placed)))",
            "return Exchange(answer: .outcomes(batch.outcomes(ofEntries: placed)), fallsBack: fallsBack)",
        ),
    ),
    rule(
        "forgets that an endpoint does not understand CBOR", "FormatFallbackTests",
        (AWS + "Call/RequestFormat.swift", "$0[endpoint] == .refuses", "false && $0[endpoint] == .refuses"),
    ),
    rule(
        "accepts fewer answers than records", "PutAnswerTests|FlushTests",
        (DELIVERY + "Send/PutAnswer.swift", "outcomes.count == records {", "outcomes.count <= records {"),
    ),
    rule(
        "offline counts as an attempt", "OfflineTests|OutcomeTableTests",
        (
            STORE + "Model/FailureRule.swift",
            "        case .unanswered: .undecided\n",
            "        case .unanswered: .failsOnceMore\n",
        ),
        (
            DELIVERY + "Settle/StreamDelivery+Settlements.swift",
            "guard error.isAnswer, case .service(let failure) = error else",
            "guard case .service(let failure) = error else",
        ),
    ),
    rule(
        "a part of a batch is signed as the whole", "SignedBodyTests",
        (
            DELIVERY + "Batch/Batch.swift",
            "isWhole && format == self.format ? digestAsRead : nil",
            "format == self.format ? digestAsRead : nil",
        ),
    ),
    # flush
    rule(
        "a stream that throttles is not slowed", "FlushTests",
        (DELIVERY + "Flush/StreamFlush.swift", "sender.send(part, after: delay)", "sender.send(part, after: min(delay, .zero))"),
    ),
    rule(
        "no lease between submitters", "FaultRows/ManyProcesses|FlushTests",
        (STORE + "Store/Files/SubmitLease.swift", "while try !lock.tryLock() {", "while try !lock.tryLock(), end < .now {"),
    ),
    rule(
        "a cancelled flush forgets why others left a stream", "CancellationTests",
        (
            STORE + "Store/StoreWriter+Settle.swift", "if let old {", "if let old, old.isEmpty {",
        ),
    ),
    # hosts
    rule(
        "the account of the credentials is ignored", "EndpointRecordingTests|AccountIDTests",
        (AWS + "Endpoint/RequestEndpoints.swift", "accountID: credentials?.accountID,", "accountID: nil,"),
    ),
    rule(
        "an operation on queues goes to the host of streams", "EndpointRecordingTests",
        (AWS + "Endpoint/Generated/ServiceHosts.swift", '"ListQueues", "UpdateQueue": ("control", "queue")',
         '"ListQueues", "UpdateQueue": ("control", "")'),
    ),
    rule(
        "a host is made of any text", "AccountIDTests",
        (AWS + "Endpoint/EndpointRules.swift", ", host.utf8.allSatisfy(Self.isOfHost) else {", " else {"),
    ),
    # names and command line
    rule(
        "a closed standard error ends the program", "LoggingTests|OwnMessagesTests",
        (AWS + "Log/RecorderLog.swift", "_ = write(STDERR_FILENO, bytes, bytes.count)",
         "precondition(write(STDERR_FILENO, bytes, bytes.count) > 0)"),
    ),
    rule(
        "the doctor takes a damaged store for sound", "DoctorTests",
        (
            "Sources/RecorderCommands/Doctor/MachineChecks.swift", "if let damage = damage(found, at: location) {",
            "if let damage = damage(found, at: location), damage.line.isEmpty {",
        ),
    ),
    rule(
        "a metrics file replaces a store", "OwnFileTests",
        ("Sources/RecorderCommands/Session/OwnFile.swift", "        try check()\n", ""),
    ),
    rule(
        "a command into which nothing is saved looks at its store all the time", "SubmitScheduleTests",
        ("Sources/RecorderCommands/Save/SubmitSchedule.swift", "{ min(pause * 2, longestPause) }", "{ pause }"),
    ),
    rule(
        "a stream that fails is asked whenever another one is sent", "StreamSchedulerTests|SideBySideTests",
        (DELIVERY + "Flush/StreamScheduler.swift", "guard let until = end(ofPauseOf: stream), now < until else { return true }",
         "guard let until = end(ofPauseOf: stream), now < until, until < now else { return true }"),
    ),
    rule(
        "what is saved during a flush waits for its slowest stream", "SideBySideTests",
        (DELIVERY + "Flush/ParallelStreamFlush.swift", "if maySend, let round = run.nextRound()",
         "if isIdle, maySend, let round = run.nextRound()"),
    ),
    rule(
        "a save wakes no sender", "SubmitScheduleTests",
        ("Sources/RecorderCommands/Save/SubmitSchedule.swift", "guard look < nextLook else", "guard look < lastLook else"),
    ),
    rule(
        "the metrics of a run name no store", "MonitoringTests",
        (
            "Sources/RecorderCommands/Metrics/RunMetrics.swift",
            'labels: [("service", service), ("store", counts.store)]', 'labels: [("service", service)]',
        ),
    ),
    rule(
        "a signal counts as the end of an outage", "ErrorWordsTests",
        (
            "Sources/RecorderCommands/Save/BackgroundSubmitter.swift", "if !outcome.isStopped { tell(",
            "do { tell(",
        ),
    ),
    rule(
        "a crash leaves a core with the keys", "CoreDumpTests",
        ("Sources/RecorderCommands/CommandLineTool.swift", "        ProcessSetup.disableCoreDumps()\n", ""),
    ),
]
