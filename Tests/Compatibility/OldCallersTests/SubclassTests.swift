import AWSCognito
import AWSKinesis
import Foundation
import OldCallersSwift5
import OldCallersSwift6
import RecorderTestSupport
import Testing

/// Classes that programs derive, and members of older SDKs, in language mode 5.
@Suite(.timeLimit(.minutes(5))) struct SubclassTests {
    @Test func `a derived Cognito provider's own credentials method is the one that a submit uses`() async throws {
        let stage = try await Stage()
        let pool = try await stage.service.createIdentityPool()
        await #expect(processExitsWith: .success) { [place = stage.place as Place, pool = pool as String] in
            place.enter()
            let provider = CountingCognitoProvider(regionType: .USEast1, identityPoolId: pool)
            AWSServiceManager.default().defaultServiceConfiguration = AppConfiguration(
                region: .USEast1,
                credentialsProvider: provider
            )
            let recorder = try #require(AWSKinesisRecorder.default())
            recorder.saveRecord(Data("derived".utf8), streamName: place.stream)
            try await recorder.submit()
            #expect(provider.asked > 0)
        }
        #expect(try await stage.kinesis() == ["derived"])
    }

    @Test func `derived credentials, static providers and configurations work as their superclasses`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let keys = NamedCredentials(accessKey: "A", secretKey: "s", sessionKey: nil, expiration: nil)
            keys.name = "mine"
            #expect(keys.accessKey == "A" && keys.name == "mine")
            let provider = PlistCredentialsProvider(accessKey: Canary.accessKey, secretKey: Canary.secret)
            let configuration = try #require(AppConfiguration(region: .USEast1, credentialsProvider: provider))
            #expect(configuration.stage == "beta" && configuration.regionType == .USEast1)
            AWSKinesisRecorder.register(with: configuration, forKey: "derived")
            let recorder = try #require(AWSKinesisRecorder(forKey: "derived"))
            recorder.saveRecord(Data("static".utf8), streamName: place.stream)
            try await recorder.submit()
        }
        #expect(try await stage.kinesis() == ["static"])
    }

    @Test func `derived helpers give the identity and the login`() async throws {
        let helper = BackendHelper(
            regionType: .USEast1,
            identityPoolId: "us-east-1:pool",
            useEnhancedFlow: true,
            identityProviderManager: nil
        )
        let logins = try await helper.logins().value as? [String: String]
        #expect(logins == ["cognito-identity.amazonaws.com": "backend-token"] && helper.calls == 1)
        let whole = WholeHelper()
        #expect(try await whole.getIdentityId().value as String? == whole.identityId)
        #expect(EmptyHelper().identityPoolId == "us-east-1:pool")
    }

    @Test func `derived loggers get the messages`() async throws {
        let directory = try TemporaryDirectory()
        await #expect(processExitsWith: .success) { [path = directory.path as String] in
            AWSDDLog.sharedInstance.logLevel = .info
            let quiet = QuietLogger()
            let file = AppFileLogger(logFileManager: AWSDDLogFileManagerDefault(logsDirectory: path))
            for logger in [quiet, file] as [any AWSDDLogger] { AWSDDLog.add(logger) }
            AWSDDLogInfo("text")
            AWSDDLog.flushLog()
            #expect(quiet.messages == 1 && file.messages == 1)
        }
    }

    @Test func `the keys of SDK 2.2 are properties after a refresh`() async throws {
        let stage = try await Stage()
        let pool = try await stage.service.createIdentityPool()
        await #expect(processExitsWith: .success) { [place = stage.place as Place, pool = pool as String] in
            place.enter()
            let provider = AWSCognitoCredentialsProvider(regionType: .USEast1, identityPoolId: pool)
            let (key, expiration) = await answer { done in keysByRefresh(provider) { done(($0, $1)) } }
            #expect(key?.isEmpty == false)
            #expect((expiration ?? .distantPast) > Date())
        }
    }

    @Test func `configuration, versions and cancellation are where older SDKs had them`() async throws {
        let configuration = AWSServiceConfiguration(region: .EUWest1, credentialsProvider: nil)
        AWSKinesisRecorder.register(with: configuration, forKey: "configuration of old callers")
        let recorder = try #require(AWSKinesisRecorder(forKey: "configuration of old callers"))
        #expect(regionOf(recorder) == .EUWest1)
        #expect(versions().allSatisfy { $0.split(separator: ".").count == 3 })
        #expect(OldCallersSwift5.cancelled().isCancelled)
    }

    @Test func `a request is awaited by the name of its completion handler's method`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let shard = try await putImported("imported", to: place.stream)
            #expect(shard == "shardId-000000000000")
        }
        #expect(try await stage.kinesis() == ["imported"])
    }
}
