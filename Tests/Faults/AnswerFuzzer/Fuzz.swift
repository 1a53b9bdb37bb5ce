import Foundation
import RecorderEngine

/// The function that libFuzzer calls with each input. The first byte selects the service, the number of records and
/// whether to settle; the rest is the answer.
///
/// One bit selects a flush of a store on disk: each request, including retries, is answered with the next line of the
/// answer. Without that bit the answer is only parsed, which is many times as fast.
///
/// Ends the process if the engine parses or settles an answer in a way that the oracle does not allow. `make fuzz` runs
/// it.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let service = start[0] & 0x80 == 0 ? StreamServiceDescription.kinesis : .firehose
    let records = Int(start[0] & 0x0F)
    let body = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    if let violation = violation(in: body, service, records, settles: start[0] & 0x40 != 0) {
        fatalError("\(service.name), \(records) records: \(violation)")
    }
    return 0
}

private func violation(in body: [UInt8], _ service: StreamServiceDescription, _ records: Int, settles: Bool) -> String?
{
    guard settles else {
        let answer = PutAnswer(body, to: service, records: records)
        return AnswerOracle.violation(in: answer, for: body, service, records: records)
    }
    let run = service.name == StreamServiceDescription.kinesis.name ? Runs.kinesis : Runs.firehose
    do {
        let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return try run.get().violation(in: lines.map { Array($0) }, records: records)
    } catch {
        return "\(error)"
    }
}

private enum Runs {
    static let kinesis = Result { try SettleRun(.kinesis, in: directory) }
    static let firehose = Result { try SettleRun(.firehose, in: directory) }

    private static let directory = FileManager.default.temporaryDirectory.path + "/settle-\(getpid())"
}
