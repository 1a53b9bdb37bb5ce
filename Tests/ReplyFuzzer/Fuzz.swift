import Foundation
import RecorderEngine

/// What libFuzzer calls with each input: its first byte says which service and how many records, the rest is the answer.
///
/// Ends the process where the engine reads an answer in a way that the oracle does not allow. `make fuzz` runs it.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let service = start[0] & 0x80 == 0 ? StreamService.kinesis : .firehose
    let records = Int(start[0] & 0x0F)
    let body = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let reply = PutReply(body, to: service, records: records)
    if let objection = ReplyOracle.objection(to: reply, for: body, service, records: records) {
        fatalError("\(service.name), \(records) records: \(objection)")
    }
    return 0
}
