import AWSKinesis
import Foundation
import RecorderTestSupport
import Testing

/// A sign-in at the service that checks signatures and permissions: its stream `members` takes records only from
/// identities with a login.
struct SignIn {
    let server: CheckedServer
    let place: SignInPlace
    private let directory: TemporaryDirectory

    private static let shared = Task { try await CheckedServer() }

    init() async throws {
        server = try await Self.shared.value
        directory = try TemporaryDirectory()
        place = SignInPlace(
            place: Place(url: server.url, directory: directory.path, stream: "members"),
            poolId: server.setUp.poolId,
            developer: server.setUp.developer,
            token: "token-\(UUID().uuidString)"
        )
    }

    /// Checks what the service saw: the logins in each call to Cognito, and the record, signed by that login's identity.
    func expectRecord(of logins: [String: String], by operations: [String] = ["GetId", "GetCredentialsForIdentity"])
        async throws
    {
        #expect(try await server.records(of: "members").filter { $0 == place.text }.count == 1)
        let requests = try await server.requests()
        let calls = requests.filter { $0.logins == logins }
        #expect(Set(calls.map(\.operation)).isSuperset(of: operations), "\(calls)")
        let identity = try #require(calls.last { $0.operation == "GetCredentialsForIdentity" }?.identityId)
        let puts = requests.filter { $0.operation == "PutRecords" && $0.signer == identity }
        #expect(!puts.isEmpty && puts.allSatisfy(\.signedIn), "\(puts)")
    }
}

/// What the process of a program that signs in has to know.
struct SignInPlace: Codable, Sendable {
    let place: Place
    let poolId: String
    let developer: CheckedServer.Developer
    /// A token of one user.
    let token: String

    /// The record that this user saves.
    var text: String { "saved with \(token)" }

    func enter() {
        place.enter()
        // The keys must come from Cognito.
        unsetenv("AWS_ACCESS_KEY_ID")
        unsetenv("AWS_SECRET_ACCESS_KEY")
    }

    /// Saves a record and submits it, with the keys of this provider; returns the submit's error.
    func submit(_ provider: any AWSCredentialsProvider) async throws -> NSError? {
        AWSKinesisRecorder.register(
            with: AWSServiceConfiguration(region: .USEast1, credentialsProvider: provider),
            forKey: "members"
        )
        let recorder = try #require(AWSKinesisRecorder(forKey: "members"))
        _ = try await recorder.saveRecord(Data(text.utf8), streamName: "members").value
        let error = await recorder.submitAllRecords().fault()
        #expect((recorder.diskBytesUsed == 0) == (error == nil))
        return error
    }

    /// A provider of the pool's keys for the user that the manager signs in.
    func provider(_ manager: any AWSIdentityProviderManager) -> AWSCognitoCredentialsProvider {
        AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: poolId, identityProviderManager: manager)
    }
}
