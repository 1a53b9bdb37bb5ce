import Foundation
import RecorderAWS
import RecorderConcurrency

/// What a Cognito provider knows from one run of the program to the next, in place of the original's keychain: the
/// identity's id and its keys, in a file that only this user can read.
final class CognitoMemory: Sendable {
    /// The contents of the file.
    private struct Kept: Codable {
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
        /// What they were asked for with, as a digest.
        let terms: String
    }

    /// The wall clock, by which keys end.
    let now: @Sendable () -> Date

    private let file: PrivateFile?
    private let kept: Locked<Kept>

    /// The directory that the program chose.
    static let directory = Locked<URL?>(nil)

    /// The memory of a pool's identity. Where there is no place for a file it lasts as long as the object.
    init(
        poolID: String,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let chosen = Self.directory.withLock { $0?.path }
        let folder = "com.amazonaws.AWSCognitoCredentialsProvider"
        let directory = chosen ?? (try? StateDirectory.path(folder: folder, environment: environment))
        file = directory.map { PrivateFile("\($0)/cognito-\(StateDirectory.fileSafe(poolID)).json") }
        kept = Locked(Kept())
        self.now = now
        read()
    }

    /// The identity's id; read again while there is none, because another provider or process may have made one.
    var identityID: String? {
        get {
            if let known = kept.withLock({ $0.identityId }) { return known }
            read()
            return kept.withLock { $0.identityId }
        }
        set {
            change { kept in
                guard kept.identityId != newValue else { return false }
                kept.identityId = newValue
                return true
            }
        }
    }

    /// The keys of this identity that were asked for on the same terms, and when they came; nil if this clock has gone
    /// back since.
    func keys(of identityID: String?, terms: String) -> (credentials: Credentials, obtained: Date)? {
        guard let keys = kept.withLock({ $0.keys }), keys.identityId == identityID, keys.terms == terms,
            keys.obtained <= now()
        else { return nil }
        let credentials = Credentials(
            accessKeyID: keys.accessKey,
            secretAccessKey: keys.secretKey,
            sessionToken: keys.sessionKey,
            expiration: keys.expiration
        )
        return (credentials, keys.obtained)
    }

    /// Keeps an identity and its keys, which were asked for on these terms.
    func keep(_ credentials: Credentials, of identityID: String, terms: String) {
        let keys = Keys(
            accessKey: credentials.accessKeyID,
            secretKey: credentials.secretAccessKey,
            sessionKey: credentials.sessionToken,
            expiration: credentials.expiration,
            obtained: now(),
            identityId: identityID,
            terms: terms
        )
        change { kept in
            kept = Kept(identityId: identityID, keys: keys)
            return true
        }
    }

    /// Forgets the keys, not the identity.
    func forgetKeys() {
        change { kept in
            guard kept.keys != nil else { return false }
            kept.keys = nil
            return true
        }
    }

    /// Forgets everything.
    func clear() {
        kept.withLock { kept in
            kept = Kept()
            file?.remove()
        }
    }

    private func change(_ change: (inout Kept) -> Bool) {
        kept.withLock { kept in
            guard change(&kept), let file else { return }
            do throws(ConfigurationFailure) {
                let encoder = JSONEncoder()
                encoder.dateEncodingStrategy = .secondsSince1970
                guard let json = try? encoder.encode(kept) else { return }
                try file.replace(with: Array(json))
            } catch {
                RecorderLog.warning("The Cognito identity is not kept for the next run: \(error.message)")
            }
        }
    }

    private func read() {
        kept.withLock { kept in
            do throws(ConfigurationFailure) {
                guard let json = try file?.contents() else { return }
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .secondsSince1970
                guard let read = try? decoder.decode(Kept.self, from: Data(json)) else {
                    // The decoder's error may quote the file, which holds keys.
                    throw ConfigurationFailure("\(file?.path ?? "") is damaged; it will be written anew.")
                }
                kept = read
            } catch {
                RecorderLog.warning("The Cognito identity of the last run is not known: \(error.message)")
            }
        }
    }
}
