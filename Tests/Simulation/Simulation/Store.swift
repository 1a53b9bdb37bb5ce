import Glibc
import RecorderStore
import SimulatedMachine

/// A store of the world: its file, and the service that its records go to.
enum Store: Int, CaseIterable {
    case kinesis, firehose, kinesisClient, firehoseClient

    static let directory = "/world/home/store"
    /// A symbolic link to it.
    static let link = "/world/link"
    static let other = "/world/home/other"

    static func makeDirectory() {
        machine_make_directory("/world/home")
        machine_make_directory(directory)
    }

    var service: StreamServiceDescription {
        switch self {
        case .kinesis, .kinesisClient: .kinesis
        case .firehose, .firehoseClient: .firehose
        }
    }

    private var fileName: String {
        switch self {
        case .kinesis: "kinesis.db"
        case .firehose: "firehose.db"
        case .kinesisClient: "amplify-kinesis-us-east-1.db"
        case .firehoseClient: "amplify-firehose-us-east-1.db"
        }
    }

    var location: StoreLocation { StoreLocation(directory: Self.directory, fileName: fileName) }
    var path: String { location.path }
    var exists: Bool { access(path, F_OK) == 0 }
}
