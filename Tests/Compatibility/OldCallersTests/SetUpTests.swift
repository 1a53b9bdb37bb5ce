import AWSCognito
import AWSKinesis
import Foundation
import OldCallersSwift5
import RecorderTestSupport
import Testing

/// How programs set up the SDK, in language mode 5.
@Suite struct SetUpTests {
    @Test func `a guest's delegate gets an identity, delivers, and forgets the identity at logout`() async throws {
        let stage = try await Stage()
        let pool = try await stage.service.createIdentityPool()
        await #expect(processExitsWith: .success) { [place = stage.place as Place, pool = pool as String] in
            place.enter()
            let delegate = GuestDelegate(identityPoolId: pool)
            let identity = await answer { delegate.identity(completion: $0) }
            #expect(identity?.hasPrefix("us-east-1:") == true)
            #expect(delegate.credentialsProvider.identityId == identity)
            let recorder = try #require(AWSKinesisRecorder.default())
            recorder.saveRecord(Data("guest".utf8), streamName: place.stream)
            try await recorder.submit()
            delegate.logOut()
            #expect(delegate.credentialsProvider.identityId == nil)
        }
        #expect(try await stage.kinesis() == ["guest"])
    }

    @Test func `a guest's keys are checked where the service checks all signatures`() async throws {
        let service = try await MotoServer(checkingAccess: true)
        let pool = try #require(service.users).poolId
        try await service.createStream("guests")
        let directory = try TemporaryDirectory()
        let place = Place(url: service.url, directory: directory.path, stream: "guests")
        await #expect(processExitsWith: .success) { [place = place as Place, pool = pool as String] in
            place.enter()
            _ = GuestDelegate(identityPoolId: pool)
            let recorder = try #require(AWSKinesisRecorder.default())
            recorder.saveRecord(Data("guest".utf8), streamName: place.stream)
            try await recorder.submit()
        }
        #expect(try await service.kinesisRecords("guests").map(\.text) == ["guest"])
        await service.stop()
    }

    @Test func `a tuned configuration keeps its values, and delivers`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            let configuration = try #require(tunedConfiguration())
            #expect(configuration.maxRetryCount == 1 && configuration.timeoutIntervalForRequest == 5)
            AWSServiceManager.default().defaultServiceConfiguration = configuration
            let recorder = try #require(AWSKinesisRecorder.default())
            recorder.saveRecord(Data("tuned".utf8), streamName: place.stream)
            try await recorder.submit()
        }
        #expect(try await stage.kinesis() == ["tuned"])
    }

    @Test func `a configuration with an endpoint needs no environment`() async throws {
        let stage = try await Stage()
        await #expect(processExitsWith: .success) { [place = stage.place as Place] in
            place.enter()
            unsetenv("AWS_ENDPOINT_URL")
            let url = try #require(URL(string: place.url))
            AWSKinesisRecorder.register(with: localConfiguration(url: url), forKey: "local")
            let recorder = try #require(AWSKinesisRecorder(forKey: "local"))
            recorder.saveRecord(Data("local".utf8), streamName: place.stream)
            try await recorder.submit()
        }
        #expect(try await stage.kinesis() == ["local"])
    }

    @Test func `recorders under several keys are found again, and others are nil`() {
        RecorderKeys.register(["clicks of old callers", "views of old callers"])
        let clicks = RecorderKeys.recorder("clicks of old callers")
        #expect(clicks != nil && clicks === RecorderKeys.recorder("clicks of old callers"))
        #expect(clicks !== RecorderKeys.recorder("views of old callers"))
        #expect(RecorderKeys.recorder("no such key of old callers") == nil)
    }

    @Test func `a dictionary in place of awsconfiguration.json configures pool, region and recorder`() async throws {
        let stage = try await Stage()
        let pool = try await stage.service.createIdentityPool()
        await #expect(processExitsWith: .success) { [place = stage.place as Place, pool = pool as String] in
            place.enter()
            InfoSetUp.configure(poolId: pool)
            #expect(InfoSetUp.poolRegion() == .USEast1)
            #expect(InfoSetUp.poolId() == pool)
            let recorder = try #require(AWSFirehoseRecorder.default())
            recorder.saveRecord(Data("info".utf8), streamName: place.stream)
            try await recorder.submit()
        }
        #expect(try await stage.firehose() == "info")
    }

    @Test func `the user agent has the application's tokens`() async {
        await #expect(processExitsWith: .success) {
            let userAgent = try #require(configurationWithUserAgent("my-app/1.2")?.userAgent)
            #expect(userAgent.hasSuffix("aws-amplify my-app/1.2"), "\(userAgent)")
        }
    }

    @Test(arguments: [("us-east-1", AWSRegionType.USEast1), ("ap-south-1", .APSouth1), ("nowhere", .Unknown)])
    func `a region's name in a setting gives the region`(name: String, type: AWSRegionType) {
        #expect(OldCallersSwift5.region(named: name) == type)
    }

    @Test func `session keys from a backend's JSON reach the service`() async throws {
        let server = try LocalServer { _, _ in
            .json(200, #"{"FailedRecordCount":0,"Records":[{"SequenceNumber":"1","ShardId":"s"}]}"#)
        }
        let directory = try TemporaryDirectory()
        let place = Place(url: server.url, directory: directory.path, stream: "stream")
        await #expect(processExitsWith: .success) { [place = place as Place] in
            place.enter()
            let json = Data(#"{"accessKey":"ASIABACKEND","secretKey":"s","token":"the-session"}"#.utf8)
            AWSServiceManager.default().defaultServiceConfiguration = AWSServiceConfiguration(
                region: .USEast1,
                credentialsProvider: try sessionProvider(json: json)
            )
            let recorder = try #require(AWSKinesisRecorder.default())
            recorder.saveRecord(Data("x".utf8), streamName: place.stream)
            try await recorder.submit()
        }
        let request = try #require(server.requests.first)
        #expect(request.header("Authorization")?.contains("Credential=ASIABACKEND/") == true)
        #expect(request.header("X-Amz-Security-Token") == "the-session")
    }
}
