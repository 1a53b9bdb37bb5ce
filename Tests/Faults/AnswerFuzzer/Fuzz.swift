import Foundation
import RecorderAWS
import RecorderDelivery
import RecorderStore

/// The function that libFuzzer calls with each input. The first byte selects the service, the number of records,
/// whether to settle, and whether to send requests in CBOR then; the rest is the answer, in JSON or CBOR.
///
/// One bit selects a flush of a store on disk: each request, including retries, is answered with the next line of the
/// answer. Without that bit the answer is only parsed, which is many times as fast.
///
/// Ends the process if the engine parses or settles an answer in a way that the oracle does not allow. `make fuzz` runs
/// it.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let options = Options(start[0])
    let body = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    if let violation = violation(in: body, options) {
        fatalError("\(options.service.name), \(options.records) records: \(violation)")
    }
    return 0
}

private struct Options {
    let service: StreamServiceDescription
    let records: Int
    let settles: Bool
    let format: RequestFormat

    init(_ byte: UInt8) {
        service = byte & 0x80 == 0 ? .kinesis : .firehose
        settles = byte & 0x40 != 0
        format = byte & 0x20 == 0 ? .json : .cbor
        records = Int(byte & 0x0F)
    }
}

private func violation(in body: [UInt8], _ options: Options) -> String? {
    guard options.settles else {
        let answer = PutAnswer(body, to: options.service, records: options.records)
        return AnswerOracle.violation(in: answer, for: body, options.service, records: options.records)
    }
    do {
        let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return try run(options).get().violation(in: lines.map { Array($0) }, records: options.records)
    } catch {
        return "\(error)"
    }
}

private func run(_ options: Options) -> Result<SettleRun, any Error> {
    switch (options.service.name, options.format) {
    case ("firehose", _): Runs.firehose
    case (_, .json): Runs.kinesis
    case (_, .cbor): Runs.binary
    }
}

private enum Runs {
    static let kinesis = Result { try SettleRun(.kinesis, in: directory) }
    static let binary = Result { try SettleRun(.kinesis, .cbor, in: directory + "-binary") }
    static let firehose = Result { try SettleRun(.firehose, in: directory) }

    private static let directory = FileManager.default.temporaryDirectory.path + "/settle-\(getpid())"
}
