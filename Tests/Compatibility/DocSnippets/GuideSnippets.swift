// swift-format-ignore-file
// Published code, unchanged.
import AWSKinesis

// The Swift code of the developer guide's page on Kinesis and Firehose, unchanged, from its web form and its source form.
// Only the code around the snippets is new: the functions, and the closing braces that the web form lost.

enum GuideSnippets {
    static func sharedInstances() {
        let kinesisRecorder = AWSKinesisRecorder.default()

        let firehoseRecorder = AWSFirehoseRecorder.default()

        _ = (kinesisRecorder, firehoseRecorder)
    }

    static func properties() {
        let kinesisRecorder = AWSKinesisRecorder.default()

        kinesisRecorder.diskAgeLimit = TimeInterval(30 * 24 * 60 * 60); // 30 days
        kinesisRecorder.diskByteLimit = UInt(10 * 1024 * 1024); // 10MB
        kinesisRecorder.notificationByteThreshold = UInt(5 * 1024 * 1024); // 5MB

        // The guide's Objective-C form is also valid Swift.
        kinesisRecorder.diskAgeLimit = 30 * 24 * 60 * 60; // 30 days
        kinesisRecorder.diskByteLimit = 10 * 1024 * 1024; // 10MB
        kinesisRecorder.notificationByteThreshold = 5 * 1024 * 1024; // 5MB
    }

    static func saveToKinesis() {
        let kinesisRecorder = AWSKinesisRecorder.default()

        let yourData = "Test_data".data(using: .utf8)
        kinesisRecorder.saveRecord(yourData, streamName: "YourStreamName")
    }

    static func saveToFirehose() {
        let firehoseRecorder = AWSFirehoseRecorder.default()

        let yourData = "Test_data".data(using: .utf8)
        firehoseRecorder.saveRecord(yourData, streamName: "YourStreamName")
    }

    static func submit() {
        let kinesisRecorder = AWSKinesisRecorder.default()
        let firehoseRecorder = AWSFirehoseRecorder.default()

        kinesisRecorder.submitAllRecords()

        firehoseRecorder.submitAllRecords()
    }

    static func saveThenSubmit() {
        let kinesisRecorder = AWSKinesisRecorder.default()

        // Create an array to store a batch of objects.
        var tasks = Array<AWSTask<AnyObject>>()
        for i in 0...100 {
            tasks.append(kinesisRecorder!.saveRecord(String(format: "TestString-%02d", i).data(using: .utf8), streamName: "YourStreamName")!)
        }

        AWSTask(forCompletionOfAllTasks: tasks).continueOnSuccessWith(block: { (task:AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            return kinesisRecorder?.submitAllRecords()
        }).continueWith(block: { (task:AWSTask<AnyObject>) -> Any? in
            if let error = task.error as? NSError {
                print("Error: \(error)")
            }
            return nil
        })
    }
}
