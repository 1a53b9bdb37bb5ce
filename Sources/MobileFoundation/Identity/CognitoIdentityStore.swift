import Foundation
import RecorderAWS
import RecorderConcurrency

/// Keeps a Cognito identity's ID and its keys between runs of the program, in a file that only this user can read. It
/// replaces the AWS SDK's keychain.
final class CognitoIdentityStore: Sendable {
    /// The contents of the file.
    private struct Contents: Codable {
        var identityId: String?
        var keys: Keys?
    }

    private struct Keys: Codable {
        let accessKey: String
        let secretKey: String
        let sessionKey: String?
        let expiration: Date?
        let obtained: Date
        let identityId: String
        /// A digest of what they were requested with.
        let terms: String

        var credentials: Credentials {
            Credentials(
                accessKeyID: accessKey,
                secretAccessKey: secretKey,
                sessionToken: sessionKey,
                expiration: expiration
            )
        }
    }

    /// The wall clock, by which keys expire.
    let now: @Sendable () -> Date

    private let file: PrivateFile?
    private let contents: Locked<Contents>

    /// The directory that the program set.
    static let directory = Locked<URL?>(nil)

    /// The store of a pool's identity. Without a directory for its file, its contents last as long as the object.
    init(
        poolID: String,
        environment: [String: String]? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let chosen = Self.directory.withLock { $0?.path }
        let folder = "com.amazonaws.AWSCognitoCredentialsProvider"
        let directory = chosen ?? (try? StateDirectory.path(folder: folder, environment: environment))
        file = directory.map { PrivateFile("\($0)/cognito-\(StateDirectory.fileSafe(poolID)).json") }
        contents = Locked(Contents())
        self.now = now
        read()
    }

    /// The store of a provider without a pool: without a file.
    init() {
        file = nil
        contents = Locked(Contents())
        now = { Date() }
    }

    /// The identity's ID. While there is none, the file is read again: another provider or process may have created one.
    var identityID: String? {
        get {
            if let known = contents.withLock({ $0.identityId }) { return known }
            read()
            return contents.withLock { $0.identityId }
        }
        set {
            change { contents in
                guard contents.identityId != newValue else { return false }
                contents.identityId = newValue
                return true
            }
        }
    }

    /// The keys of this identity that were requested on the same terms, and when they were obtained; nil if the clock was
    /// set back since.
    func keys(of identityID: String?, terms: String) -> (credentials: Credentials, obtained: Date)? {
        guard let keys = contents.withLock({ $0.keys }), keys.identityId == identityID, keys.terms == terms,
            keys.obtained <= now()
        else { return nil }
        return (keys.credentials, keys.obtained)
    }

    /// The keys that were saved last, whatever they were requested with.
    var lastKeys: Credentials? { contents.withLock { $0.keys }?.credentials }

    /// Stores an identity and its keys, which were requested on these terms.
    func save(_ credentials: Credentials, of identityID: String, terms: String) {
        let keys = Keys(
            accessKey: credentials.accessKeyID,
            secretKey: credentials.secretAccessKey,
            sessionKey: credentials.sessionToken,
            expiration: credentials.expiration,
            obtained: now(),
            identityId: identityID,
            terms: terms
        )
        change { contents in
            contents = Contents(identityId: identityID, keys: keys)
            return true
        }
    }

    /// Removes the keys, not the identity.
    func removeKeys() {
        change { contents in
            guard contents.keys != nil else { return false }
            contents.keys = nil
            return true
        }
    }

    /// Removes everything.
    func clear() {
        contents.withLock { contents in
            contents = Contents()
            file?.remove()
        }
    }

    /// Applies a change, and writes the file if it returns true.
    private func change(_ change: (inout Contents) -> Bool) {
        contents.withLock { contents in
            guard change(&contents), let file else { return }
            do throws(ConfigurationFailure) {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = .secondsSince1970
                guard let json = try? encoder.encode(contents) else { return }
                try file.replace(with: Array(json))
            } catch {
                RecorderLog.warning("The Cognito identity is not saved for the next run: \(error.message)")
            }
        }
    }

    private func read() {
        contents.withLock { contents in
            do throws(ConfigurationFailure) {
                guard let json = try file?.contents() else { return }
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .secondsSince1970
                guard let read = try? decoder.decode(Contents.self, from: Data(json)) else {
                    // The decoder's error may quote the file, which holds keys.
                    throw ConfigurationFailure("\(file?.path ?? "") is damaged; it will be rewritten.")
                }
                contents = read
            } catch {
                RecorderLog.warning("The Cognito identity of the last run is not available: \(error.message)")
            }
        }
    }
}
