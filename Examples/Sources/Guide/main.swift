// The program of Amazon's developer guide for AWSKinesisRecorder and AWSFirehoseRecorder: save 101 records
// to disk, then submit them all.
//
//     Guide (kinesis|firehose) run STREAM     save, then submit, as one chain of tasks
//     Guide (kinesis|firehose) save STREAM    save only; the records wait on disk
//     Guide (kinesis|firehose) submit         send whatever waits, from this run or an earlier one
//     Guide (kinesis|firehose) status         print diskBytesUsed
//
// Where to send and with which credentials comes from the environment: AWS_REGION, AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY, for a local service AWS_ENDPOINT_URL; where to store, AWS_KINESIS_RECORDER_DIR.

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

// Both functions stand as in the guide, hence not in this package's format.

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
