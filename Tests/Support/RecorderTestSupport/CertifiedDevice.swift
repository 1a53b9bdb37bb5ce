package import Foundation
package import RecorderAWS
import RecorderConcurrency
import RecorderHTTP

/// A device with a certificate and no keys, and AWS IoT's credentials provider, which gives it keys for an hour.
package final class CertifiedDevice: Sendable {
    /// What the provider does with the requests of a client whose certificate it accepts.
    package enum Mode: Sendable {
        case gives
        case refuses(Int, String)
        case isDown
    }

    package let authority: TLSAuthority
    package let identity: TLSAuthority.Identity
    /// The provider behind its TLS.
    package let server: LocalServer
    private let front: MutualTLSFront
    private let state: State

    private struct Values {
        var mode = Mode.gives
        var now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        var keys = 0
    }

    private final class State: Sendable {
        let values = Locked(Values())

        var now: Date { values.withLock { $0.now } }

        func reply() -> Reply {
            values.withLock { values in
                switch values.mode {
                case .gives:
                    values.keys += 1
                    return .json(200, CertifiedDevice.keys(values.keys, until: values.now + 3600))
                case .refuses(let status, let message): return .json(status, #"{"message":"\#(message)"}"#)
                case .isDown: return .dropConnection
                }
            }
        }
    }

    package init() async throws {
        authority = try TLSAuthority()
        identity = try authority.identity(for: "DNS:device")
        let state = State()
        self.state = state
        server = try LocalServer { _, _ in state.reply() }
        front = try await MutualTLSFront(before: server, authority)
    }

    /// The response with the keys `ASIA1`, `ASIA2` and so on.
    package static func keys(_ number: Int, until end: Date) -> String {
        #"{"credentials":{"accessKeyId":"ASIA\#(number)","secretAccessKey":"\#(Canary.secret)","#
            + #""sessionToken":"\#(Canary.token)","expiration":"\#(end.formatted(.iso8601))"}}"#
    }

    /// The environment variables of the device.
    package var environment: [String: String] {
        [
            "AWS_IOT_CORE_CREDENTIAL_ENDPOINT": front.host, "AWS_IOT_CORE_ROLE_ALIAS": "recorder",
            "AWS_IOT_CORE_THING_NAME": "gateway-7", "AWS_IOT_CORE_CERT": identity.certificate,
            "AWS_IOT_CORE_PRIVATE_KEY": identity.key,
        ]
    }

    /// The settings of the device in a program.
    package var settings: IoTSettings {
        IoTSettings(
            endpoint: front.host,
            roleAlias: "recorder",
            thingName: "gateway-7",
            certificate: identity.certificate,
            privateKey: identity.key,
            certificateAuthorities: authority.certificate
        )
    }

    /// A context with the device's variables and clock; it trusts the provider.
    package func context(_ changes: [String: String] = [:]) -> CredentialsContext {
        let state = state
        return CredentialsContext(
            environment: environment.merging(changes) { $1 },
            transport: CurlTransport(certificateAuthorities: authority.certificate),
            now: { state.now },
            pause: { _ in }
        )
    }

    /// Changes what the provider does.
    package func provider(_ new: Mode) { state.values.withLock { $0.mode = new } }

    /// Revokes the device's certificate.
    package func revoke() throws { try authority.revoke(identity) }

    /// Moves the clock forward.
    package func advance(_ seconds: TimeInterval) { state.values.withLock { $0.now += seconds } }
}
