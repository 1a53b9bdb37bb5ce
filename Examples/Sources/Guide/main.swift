// The program from the AWS developer guide for AWSKinesisRecorder and AWSFirehoseRecorder: save 101 records
// to disk, then submit all of them.
//
//     Guide (kinesis|firehose) run STREAM     save, then submit, as one chain of tasks
//     Guide (kinesis|firehose) save STREAM    save only; the records stay on disk
//     Guide (kinesis|firehose) submit         send all stored records, of this run and earlier ones
//     Guide (kinesis|firehose) status         print diskBytesUsed
//
// The environment configures region and credentials (AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), the
// endpoint of a local service (AWS_ENDPOINT_URL) and the store's directory (AWS_KINESIS_RECORDER_DIR).

import AWSKinesis
import Dispatch
import Foundation

func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

let usage = "usage: Guide (kinesis|firehose) (run STREAM | save STREAM | submit | status)"
var arguments = CommandLine.arguments.dropFirst()

let recorder: AWSAbstractKinesisRecorder!
switch arguments.popFirst() {
case "kinesis": recorder = AWSKinesisRecorder.default()
case "firehose": recorder = AWSFirehoseRecorder.default()
default: fail(usage, status: 2)
}

// Both functions are formatted as in the guide.

// swift-format-ignore
func saveAll(to streamName: String) -> AWSTask<AnyObject> {
    // Create an array to store a batch of objects.
    var tasks = Array<AWSTask<AnyObject>>()
    for i in 0...100 {
        tasks.append(recorder!.saveRecord(String(format: "TestString-%02d", i).data(using: .utf8), streamName: streamName)!)
    }
    print("saving \(tasks.count) records")
    return AWSTask(forCompletionOfAllTasks: tasks)
}

// swift-format-ignore
func saveAndSubmitAll(to streamName: String) -> AWSTask<AnyObject> {
    return saveAll(to: streamName).continueOnSuccessWith(block: { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
        return recorder?.submitAllRecords()
    })
}

let work: AWSTask<AnyObject>
switch (arguments.popFirst(), arguments.popFirst()) {
case ("run", let streamName?):
    work = saveAndSubmitAll(to: streamName)
case ("save", let streamName?):
    work = saveAll(to: streamName)
case ("submit", nil):
    work = recorder.submitAllRecords()
case ("status", nil):
    print("diskBytesUsed \(recorder.diskBytesUsed)")
    exit(0)
default:
    fail(usage, status: 2)
}

let finished = DispatchSemaphore(value: 0)
work.continueWith(block: { (task: AWSTask<AnyObject>) -> Any? in
    if let error = task.error as? NSError {
        fail("Error: \(error)", status: 1)
    }
    finished.signal()
    return nil
})
finished.wait()
