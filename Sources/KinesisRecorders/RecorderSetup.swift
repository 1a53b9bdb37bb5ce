public import Foundation
import RecorderAWS
import RecorderConcurrency
public import RecorderConfiguration
import RecorderStore

/// What a new recorder may store, with defaults for a server. Each is also a property of the recorder.
public struct AWSRecorderLimits: Sendable, Hashable {
    /// `diskByteLimit`: the maximum size of the stored records in bytes; 1 GiB by default, 0 for no limit. Beyond it the oldest
    /// are discarded and reported.
    public var diskBytes: UInt

    /// `diskAgeLimit`: the age at which records are discarded and reported; zero, the default, for no limit.
    public var diskAge: Duration

    /// `maximumRecordBytes`: the maximum size of a record in bytes; 1,024,000 by default, which both services accept.
    public var recordBytes: UInt

    /// Creates limits. Parameters that are left out have their defaults.
    public init(diskBytes: UInt = 1 << 30, diskAge: Duration = .zero, recordBytes: UInt = 1_024_000) {
        self.diskBytes = diskBytes
        self.diskAge = diskAge
        self.recordBytes = recordBytes
    }
}

/// Why a recorder cannot be created: a setting is missing, or cannot be used.
public struct AWSRecorderSetupError: LocalizedError, CustomStringConvertible, Sendable {
    /// The settings that a recorder cannot do without.
    public enum Setting: Sendable {
        /// The region to send to.
        case region
        /// The address of the service.
        case endpoint
        /// The directory of the records.
        case directory
    }

    /// The setting to change.
    public let setting: Setting

    /// What is wrong with it, and how to fix it.
    public let description: String

    /// The same, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension AWSKinesisRecorder {
    /// Creates a recorder for a region. Opens no file, and looks for no credentials, before they are needed.
    ///
    /// ```swift
    /// let recorder = try AWSKinesisRecorder()
    /// try await recorder.save(data, to: "clicks", partitionKey: "user-17")  // on disk
    /// try await recorder.submit()
    /// ```
    /// Recorders with the same directory share one store, as does `default()`: each submits all of it, and applies its own limits
    /// to all of it. `default()` has a limit of 5 MiB, so a program uses either. A second region needs a directory of its own.
    ///
    /// - Parameters:
    ///   - region: The region to send to, such as `eu-west-1`. By default that of `AWS_REGION`, or of the AWS profile in use.
    ///   - credentials: Provides the keys. By default the machine's: the environment, a profile, a container, an instance.
    ///   - endpoint: The address of the service, such as `http://localhost:4566` in a test. By default that of
    ///     `AWS_ENDPOINT_URL`, of the profile, or of the region.
    ///   - directory: The directory of the records, created if it is missing. By default as for `default()`:
    ///     `AWSAbstractKinesisRecorder.storeDirectory`.
    ///   - limits: What may be stored.
    /// - Throws: ``AWSRecorderSetupError`` if there is no region, no directory that could be used, or the address is none.
    public convenience init(
        region: String? = nil,
        credentials: (any AWSCredentialsProvider)? = nil,
        endpoint: String? = nil,
        directory: URL? = nil,
        limits: AWSRecorderLimits = AWSRecorderLimits()
    ) throws(AWSRecorderSetupError) {
        let setup = try RecorderSetup(
            .kinesis(key: nil),
            region: region,
            credentials: credentials,
            endpoint: endpoint,
            directory: directory
        )
        self.init(setup.identity, configuration: setup.configuration, policy: .standard)
        apply(limits)
    }
}

extension AWSFirehoseRecorder {
    /// Creates a recorder for a region. Opens no file, and looks for no credentials, before they are needed.
    ///
    /// ```swift
    /// let recorder = try AWSFirehoseRecorder()
    /// recorder.appendsNewline = true
    /// try await recorder.save(data, to: "my-delivery-stream")  // on disk
    /// try await recorder.submit()
    /// ```
    /// Recorders with the same directory share one store, as does `default()`: each submits all of it, and applies its own limits
    /// to all of it. `default()` has a limit of 5 MiB, so a program uses either. A second region needs a directory of its own.
    ///
    /// - Parameters:
    ///   - region: The region to send to, such as `eu-west-1`. By default that of `AWS_REGION`, or of the AWS profile in use.
    ///   - credentials: Provides the keys. By default the machine's: the environment, a profile, a container, an instance.
    ///   - endpoint: The address of the service, such as `http://localhost:4566` in a test. By default that of
    ///     `AWS_ENDPOINT_URL`, of the profile, or of the region.
    ///   - directory: The directory of the records, created if it is missing. By default as for `default()`:
    ///     `AWSAbstractKinesisRecorder.storeDirectory`.
    ///   - limits: What may be stored.
    /// - Throws: ``AWSRecorderSetupError`` if there is no region, no directory that could be used, or the address is none.
    public convenience init(
        region: String? = nil,
        credentials: (any AWSCredentialsProvider)? = nil,
        endpoint: String? = nil,
        directory: URL? = nil,
        limits: AWSRecorderLimits = AWSRecorderLimits()
    ) throws(AWSRecorderSetupError) {
        let setup = try RecorderSetup(
            .firehose(key: nil),
            region: region,
            credentials: credentials,
            endpoint: endpoint,
            directory: directory
        )
        self.init(setup.identity, configuration: setup.configuration, policy: .standard)
        apply(limits)
    }
}

extension AWSAbstractKinesisRecorder {
    fileprivate func apply(_ limits: AWSRecorderLimits) {
        diskByteLimit = limits.diskBytes
        diskAgeLimit = limits.diskAge / .seconds(1)
        maximumRecordBytes = limits.recordBytes
    }
}

/// The checked settings of a recorder.
private struct RecorderSetup {
    let identity: RecorderIdentity
    let configuration: AWSServiceConfiguration

    /// The region of each store that recorders of this process were created for: a store's records are all sent to one region.
    private static let regions = Locked<[StoreLocation: Region]>([:])

    init(
        _ identity: RecorderIdentity,
        region name: String?,
        credentials: (any AWSCredentialsProvider)?,
        endpoint: String?,
        directory: URL?
    ) throws(AWSRecorderSetupError) {
        let region = try Self.region(name)
        do throws(ConfigurationFailure) {
            if let endpoint { _ = try Endpoint(url: endpoint) }
        } catch {
            throw AWSRecorderSetupError(setting: .endpoint, description: error.message)
        }
        var identity = identity
        identity.directory = directory
        let location: StoreLocation
        do throws(RecorderError) {
            location = try identity.location()
        } catch {
            throw AWSRecorderSetupError(setting: .directory, description: error.message)
        }
        let used = Self.regions.withLock { regions in
            regions[location] = regions[location] ?? region
            return regions[location] ?? region
        }
        guard used == region else {
            throw AWSRecorderSetupError(
                setting: .directory,
                description:
                    "\(location.directory) has the records for \(used), which a recorder for \(region) would send there: "
                    + "give it a directory of its own."
            )
        }
        self.identity = identity
        configuration = AWSServiceConfiguration(
            region: region,
            endpoint: endpoint.map { AWSEndpoint(urlString: $0) },
            credentialsProvider: credentials
        )
    }

    private static func region(_ name: String?) throws(AWSRecorderSetupError) -> Region {
        do throws(ConfigurationFailure) {
            if let name { return try Region(name) }
            if let region = try MachineSettings().region() { return region }
        } catch {
            throw AWSRecorderSetupError(setting: .region, description: error.message)
        }
        throw AWSRecorderSetupError(
            setting: .region,
            description:
                "There is no region to send to: set AWS_REGION, or region in the profile of ~/.aws/config, or name it, as "
                + "in AWSKinesisRecorder(region: \"eu-west-1\")."
        )
    }
}
