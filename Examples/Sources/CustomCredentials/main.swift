// Credentials from a source of your own, such as a vault or a device's secure element: conform a class to
// AWSCredentialsProvider.
//
//     CustomCredentials STREAM

// Implicitly unwrapped results are unwrapped with `!`, as in code for the AWS SDK for iOS.
// swift-format-ignore-file: NeverForceUnwrap

import AWSKinesis
import Foundation

/// Caches credentials until they expire or the service refuses them, then fetches new ones.
final class VaultCredentialsProvider: NSObject, AWSCredentialsProvider, @unchecked Sendable {
    private let lock = NSLock()
    private var kept: AWSCredentials?

    func credentials() -> AWSTask<AWSCredentials> {
        lock.lock()
        defer { lock.unlock() }
        if let kept, kept.expiration.map({ $0 > Date(timeIntervalSinceNow: 60) }) ?? true {
            return AWSTask(result: kept)
        }
        print("asking the vault")
        do {
            let fetched = try fetch()
            kept = fetched
            return AWSTask(result: fetched)
        } catch {
            return AWSTask(error: error)
        }
    }

    func invalidateCachedTemporaryCredentials() {
        lock.lock()
        defer { lock.unlock() }
        kept = nil
    }

    /// The vault of this example is a pair of environment variables.
    private func fetch() throws -> AWSCredentials {
        let environment = ProcessInfo.processInfo.environment
        guard let key = environment["VAULT_KEY"], let secret = environment["VAULT_SECRET"] else {
            throw CocoaError(.fileReadNoSuchFile)
        }
        return AWSCredentials(accessKey: key, secretKey: secret, sessionKey: nil, expiration: nil)
    }
}

let configuration = AWSServiceConfiguration(region: .USEast1, credentialsProvider: VaultCredentialsProvider())
AWSKinesisRecorder.register(with: configuration, forKey: "vault")
let kinesisRecorder = AWSKinesisRecorder(forKey: "vault")!

for round in 1...2 {
    kinesisRecorder.saveRecord(Data("round \(round)".utf8), streamName: CommandLine.arguments[1])
    do {
        _ = try await kinesisRecorder.submitAllRecords().value
        print("round \(round): delivered")
    } catch {
        print("round \(round): \(error.localizedDescription)")
    }
}
