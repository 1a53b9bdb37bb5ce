import Foundation
import RecorderAWS
import RecorderTestSupport
import Testing

@Suite struct CredentialsTests {
    let secrets = [Canary.accessKey, Canary.secret, Canary.token]

    var credentials: Credentials {
        Credentials(accessKeyID: secrets[0], secretAccessKey: secrets[1], sessionToken: secrets[2])
    }

    @Test func `no secret shows in a description, a reflection or a dump`() throws {
        let environment = [
            "AWS_ACCESS_KEY_ID": secrets[0], "AWS_SECRET_ACCESS_KEY": secrets[1], "AWS_SESSION_TOKEN": secrets[2],
        ]
        let region = try Region("us-east-1")
        let endpoint = Endpoint.standard(for: .kinesis, in: region)
        let source = StaticCredentials(credentials)
        let things: [Any] = [
            credentials, source, EnvironmentCredentials(environment),
            CallConfiguration(region: region, endpoint: endpoint, credentials: source),
            [credentials] as [Credentials?],
        ]
        for thing in things {
            var text = "\(thing) \(String(describing: thing)) \(String(reflecting: thing))"
            dump(thing, to: &text)
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }

    @Test func `the environment's keys are used together`() async throws {
        let environment = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": Canary.secret, "AWS_SESSION_TOKEN": ""]
        let found = try await EnvironmentCredentials(environment).credentials()
        #expect(found == Credentials(accessKeyID: "id", secretAccessKey: Canary.secret))
    }

    @Test func `one key without the other is an error that names the missing one`() async {
        let noSecret = await failure(["AWS_ACCESS_KEY_ID": "id-canary"])
        #expect(noSecret?.kind == .failed)
        #expect(noSecret?.message.contains("AWS_SECRET_ACCESS_KEY") == true)
        #expect(noSecret?.message.contains("id-canary") == false)
        #expect(await failure(["AWS_SECRET_ACCESS_KEY": "s", "AWS_ACCESS_KEY_ID": ""])?.kind == .failed)
    }

    @Test func `the environment's keys are used until they expire, and then they are an error`() async throws {
        var environment = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": Canary.secret]
        // As `aws configure export-credentials --format env` prints it.
        environment["AWS_CREDENTIAL_EXPIRATION"] = "2026-03-01T12:36:00+00:00"
        let end = Date(timeIntervalSince1970: 1_772_368_560)
        let before = EnvironmentCredentials(environment, now: { end - 1 })
        #expect(try await before.credentials()?.expiration == end)
        let after = EnvironmentCredentials(environment, now: { end })
        let failure = await #expect(throws: CredentialsFailure.self) { try await after.credentials() }
        #expect(failure?.kind == .failed && failure?.message.hasPrefix("AWS_CREDENTIAL_EXPIRATION: ") == true)
        environment["AWS_CREDENTIAL_EXPIRATION"] = "soon"
        #expect(await self.failure(environment)?.message.contains("not a time in ISO 8601") == true)
    }

    @Test func `missing keys are another error than incomplete ones`() async {
        #expect(await failure([:])?.kind == .notConfigured)
    }

    private func failure(_ environment: [String: String]) async -> CredentialsFailure? {
        do throws(CredentialsFailure) {
            _ = try await EnvironmentCredentials(environment).credentials()
            return nil
        } catch {
            return error
        }
    }
}
