//
//  EventLogger.swift
//  MuseumGuide
//

// swift-format-ignore-file

import Foundation
import AWSKinesis

extension Notification.Name {
    static let eventsSent = Notification.Name("MuseumGuideEventsSent")
}

/// Saves events on the device, and sends them when there are many, and every few seconds.
class EventLogger: NSObject {

    static let shared = EventLogger()
    static let recorderKey = "events"

    private let streamName = "visits"
    private let interval: TimeInterval = 3
    private var recorder: AWSKinesisRecorder!
    private var timer: Timer?
    private var saves = [AWSTask<AnyObject>]()
    private var isSending = false

    func start() {
        recorder = AWSKinesisRecorder(forKey: EventLogger.recorderKey)
        recorder.diskByteLimit = UInt(10 * 1024 * 1024)
        recorder.diskAgeLimit = TimeInterval(30 * 24 * 60 * 60)
        recorder.notificationByteThreshold = 4 * 1024

        _ = NotificationCenter.default.addObserver(forName: NSNotification.Name.AWSKinesisRecorderByteThresholdReached, object: recorder, queue: OperationQueue.main) { [weak self] _ in
            self?.send()
        }
    }

    func log(_ event: Event) {
        guard let data = event.json else {
            return
        }
        saves.append(recorder.saveRecord(data, streamName: streamName, partitionKey: event.visitor)!)
        if timer == nil {
            timer = Timer.scheduledTimer(withTimeInterval: interval, repeats: true) { [weak self] _ in
                self?.send()
            }
        }
    }

    func send() {
        guard !saves.isEmpty, !isSending else {
            return
        }
        let count = saves.count
        let saved = AWSTask<AnyObject>(forCompletionOfAllTasks: saves)
        saves.removeAll()
        isSending = true

        saved.continueOnSuccessWith(block: { (task: AWSTask<AnyObject>) -> AWSTask<AnyObject>? in
            return self.recorder.submitAllRecords()
        }).continueWith(executor: AWSExecutor.mainThread(), block: { (task: AWSTask<AnyObject>) -> Any? in
            self.isSending = false
            if let error = task.error as NSError? {
                print("Not sent: \(error.localizedDescription)")
            } else {
                print("Events sent: \(count), bytes left: \(self.recorder.diskBytesUsed)")
                NotificationCenter.default.post(name: .eventsSent, object: self)
            }
            return nil
        })
    }
}
