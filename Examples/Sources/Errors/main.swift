// Provokes each kind of error, and prints it and whether the record is still stored.
//
//     Errors STREAM

// Implicitly unwrapped results are unwrapped with `!`, as in code for the AWS SDK for iOS.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Foundation

let streamName = CommandLine.arguments[1]
let environment = ProcessInfo.processInfo.environment

/// A recorder that sends to `url` with these credentials, or with those of the environment.
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

await show("no failure", saveAndSubmit(good, to: streamName), good)
await show("a record of 262,145 bytes", good.saveRecord(Data(count: 262_145), streamName: streamName), good)
await show("an invalid stream name", good.saveRecord(Data(), streamName: "a/b"), good)
await show("a missing stream", saveAndSubmit(good, to: "no-such-stream"), good)

let unknownKey = recorder(service, key: "AKIAUNKNOWN", secret: "unknown")
await show("an unknown access key", saveAndSubmit(unknownKey, to: streamName), unknownKey)

let wrongSecret = recorder(service, secret: "wrong")
await show("a wrong secret key", saveAndSubmit(wrongSecret, to: streamName), wrongSecret)

let offline = recorder("http://127.0.0.1:1")
await show("nothing listens at the endpoint", saveAndSubmit(offline, to: streamName), offline)

// One submit, two streams: one is sent, and the error names the other.
good.saveRecord(Data("text".utf8), streamName: "no-such-stream")
let submit = saveAndSubmit(good, to: streamName)
_ = try? await submit.value
let streams = (submit.error as NSError?)?.userInfo[AWSRecorderStreamErrorsKey] as? [String: NSError] ?? [:]
print("two streams, one missing: the error lists \(streams.keys.sorted()); \(good.statistics!.stored) stored")
