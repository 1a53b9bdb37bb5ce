// A gateway as a service: readings are on disk before the next one is taken, and SIGTERM ends it after a last submit.
//
//     Gateway STREAM

import Dispatch
import Foundation
import GatewayKit
import KinesisRecorders

/// EX_CONFIG of sysexits.h: a new start would not help.
let wrongConfiguration: Int32 = 78

/// Returns at the first SIGTERM. Until the source is registered, the signal ends the program, which loses nothing. From then on
/// libdispatch handles it: `signal(SIGTERM, SIG_IGN)`, which Apple's systems need, would take it away on Linux.
func termination() async {
    await withCheckedContinuation { continuation in
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        source.setRegistrationHandler { print("started") }
        source.setEventHandler {
            source.cancel()
            continuation.resume()
        }
        source.resume()
    }
}

do {
    let recorder = try AWSKinesisRecorder()
    let load = URL(fileURLWithPath: "/proc/loadavg")
    let gateway = Gateway(recorder: recorder, stream: CommandLine.arguments[1]) { try Data(contentsOf: load) }
    let run = Task { await gateway.run() }
    await termination()
    run.cancel()
    await run.value
    print("stopped; \(recorder.diskBytesUsed) bytes left on disk")
} catch {
    print(error.localizedDescription)
    exit(wrongConfiguration)
}
