package import Foundation
import RecordFormats
import RecorderHTTP

/// The body of a PutRecords or PutRecordBatch request, in JSON or CBOR.
package struct PutRequestBody {
    /// The stream's name or ARN.
    package let stream: String
    /// The records' data, and their partition keys for Kinesis.
    package let records: [(data: Data, partitionKey: String?)]

    /// Without a stream and records if the body cannot be read.
    package init(_ body: [UInt8]) {
        let json = CBORTree.object(body) ?? (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        stream = (json?["StreamName"] ?? json?["StreamARN"] ?? json?["DeliveryStreamName"]) as? String ?? "?"
        records = (json?["Records"] as? [[String: Any]] ?? []).map { record in
            let data = record["Data"] as? Data ?? (record["Data"] as? String).flatMap { Data(base64Encoded: $0) }
            return (data ?? Data(), record["PartitionKey"] as? String)
        }
    }

    /// The data of the records in each entry of a Kinesis request: of one, or of those that were aggregated.
    package var aggregatedRecords: [[Data]] {
        records.map { entry in AggregatedEntry.records(in: Array(entry.data))?.map { Data($0.data) } ?? [entry.data] }
    }

    /// The records' data as text.
    package var texts: [String] { records.map { String(decoding: $0.data, as: UTF8.self) } }
}

extension ReceivedRequest {
    package static let cborType = "application/x-amz-cbor-1.1"

    /// Whether the body is in CBOR, by its header.
    package var isCBOR: Bool { header("Content-Type") == Self.cborType }
}

extension Reply {
    /// The same answer in the request's format: a document in JSON becomes one in CBOR, with or without lengths.
    package func encoded(for request: ReceivedRequest, indefinite: Bool = true) -> Reply {
        guard request.isCBOR, case .answer(let status, let headers, let body) = self,
            let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        else { return self }
        let others = headers.filter { $0.name.lowercased() != "content-type" }
        return .answer(
            status: status,
            headers: others + [HTTPHeader("Content-Type", ReceivedRequest.cborType)],
            body: CBORTree.document(object, indefinite: indefinite)
        )
    }
}
