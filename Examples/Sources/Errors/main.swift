// What goes wrong, as which error, and whether the record is still there: a table made by provoking each.
//
//     Errors STREAM

// What cannot be nil here is unwrapped, as the originals' users do.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Foundation

let streamName = CommandLine.arguments[1]
let environment = ProcessInfo.processInfo.environment

/// A recorder that sends to `url` with these keys, or with those of the environment.
func recorder(_ url: String, key: String? = nil, secret: String? = nil) -> AWSKinesisRecorder {
    let provider = AWSStaticCredentialsProvider(
        accessKey: key ?? environment["AWS_ACCESS_KEY_ID"]!,
        secretKey: secret ?? environment["AWS_SECRET_ACCESS_KEY"]!
    )
    let configuration = AWSServiceConfiguration(
        region: .USEast1,
        endpoint: AWSEndpoint(urlString: url),
        credentialsProvider: provider
    )!
    configuration.maxRetryCount = 0
    let name = UUID().uuidString
    AWSKinesisRecorder.register(with: configuration, forKey: name)
    return AWSKinesisRecorder(forKey: name)!
}

func show(_ what: String, _ task: AWSTask<AnyObject>, _ recorder: AWSKinesisRecorder) async {
    var text = "no error"
    do {
        _ = try await task.value
    } catch let error as NSError {
        text = "\(error.domain) \(error.code)"
    }
    print("\(what): \(text); \(recorder.statistics!.stored) stored")
    _ = try? await recorder.removeAllRecords().value
}

let service = environment["AWS_ENDPOINT_URL"]!
let good = recorder(service)

func saveAndSubmit(_ recorder: AWSKinesisRecorder, to stream: String) -> AWSTask<AnyObject> {
    recorder.saveRecord(Data("text".utf8), streamName: stream)
    return recorder.submitAllRecords()
}

await show("all is well", saveAndSubmit(good, to: streamName), good)
await show("a record of 262,145 bytes", good.saveRecord(Data(count: 262_145), streamName: streamName), good)
await show("a name that no stream can have", good.saveRecord(Data(), streamName: "a/b"), good)
await show("a stream that is not there", saveAndSubmit(good, to: "no-such-stream"), good)

let stranger = recorder(service, key: "AKIASTRANGER", secret: "unknown")
await show("keys that the service does not know", saveAndSubmit(stranger, to: streamName), stranger)

let forger = recorder(service, secret: "wrong")
await show("a secret key that is wrong", saveAndSubmit(forger, to: streamName), forger)

let offline = recorder("http://127.0.0.1:1")
await show("nobody there", saveAndSubmit(offline, to: streamName), offline)

// One submit, two streams: the good one is sent, the error names the other.
good.saveRecord(Data("text".utf8), streamName: "no-such-stream")
let submit = saveAndSubmit(good, to: streamName)
_ = try? await submit.value
let streams = (submit.error as NSError?)?.userInfo[AWSRecorderStreamErrorsKey] as? [String: NSError] ?? [:]
print("two streams, one missing: the error lists \(streams.keys.sorted()); \(good.statistics!.stored) stored")
