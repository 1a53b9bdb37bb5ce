import AWSKinesis
import Foundation
import RecorderConcurrency
import RecorderTestSupport
import Testing

/// Recorders for one test. Their files are in one directory, which is removed with the test process.
enum Recorders {
    private static let directory: TemporaryDirectory? = {
        let directory = try? TemporaryDirectory()
        AWSAbstractKinesisRecorder.storeDirectory = directory.map { URL(fileURLWithPath: $0.path) }
        return directory
    }()

    static var path: String { directory?.path ?? "" }

    static func configuration(_ url: String, _ keys: MotoServer.Keys? = nil) throws -> AWSServiceConfiguration {
        let provider = AWSStaticCredentialsProvider(
            accessKey: keys?.accessKeyId ?? Canary.accessKey,
            secretKey: keys?.secretAccessKey ?? Canary.secret
        )
        let endpoint = try #require(AWSEndpoint(urlString: url))
        let configuration = try #require(
            AWSServiceConfiguration(region: .USEast1, endpoint: endpoint, credentialsProvider: provider)
        )
        CanaryRun.show(provider, configuration)
        return configuration
    }

    static func kinesis(
        _ key: String = UUID().uuidString,
        url: String = "http://127.0.0.1:1",
        keys: MotoServer.Keys? = nil
    ) throws -> AWSKinesisRecorder {
        _ = path
        AWSKinesisRecorder.register(with: try configuration(url, keys), forKey: key)
        return try #require(AWSKinesisRecorder(forKey: key))
    }

    static func firehose(_ key: String = UUID().uuidString, url: String = "http://127.0.0.1:1") throws
        -> AWSFirehoseRecorder
    {
        _ = path
        AWSFirehoseRecorder.register(with: try configuration(url), forKey: key)
        return try #require(AWSFirehoseRecorder(forKey: key))
    }

    /// The notifications of one name and sender, in order.
    static func notes(_ name: Notification.Name, from sender: AWSAbstractKinesisRecorder) -> Notes {
        Notes(name, sender)
    }

    final class Notes: Sendable {
        struct Note: Sendable {
            let numbers: [String: Int]
            let texts: [String: String]
            let lists: [String: [String]]
            let isFromSender: Bool
        }

        private let seen = Locked<[Note]>([])

        init(_ name: Notification.Name, _ sender: AWSAbstractKinesisRecorder) {
            _ = NotificationCenter.default.addObserver(forName: name, object: sender, queue: nil) { [weak self] note in
                let userInfo = note.userInfo as? [String: Any] ?? [:]
                let found = Note(
                    numbers: userInfo.compactMapValues { ($0 as? NSNumber) == nil ? nil : $0 as? Int },
                    texts: userInfo.compactMapValues { $0 as? String },
                    lists: userInfo.compactMapValues { $0 as? [String] },
                    isFromSender: (note.object as AnyObject?) === sender
                )
                self?.seen.withLock { $0.append(found) }
            }
        }

        var all: [Note] { seen.withLock { $0 } }
    }
}

extension AWSTask {
    /// The task's error, as code for the AWS SDK sees it.
    func failure() async -> NSError? {
        await RecorderTestSupport.failure { try await value }.map { $0 as NSError }
    }
}
