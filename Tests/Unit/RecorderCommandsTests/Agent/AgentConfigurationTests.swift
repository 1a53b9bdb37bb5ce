import FileFollowing
import Foundation
import LineRecords
import RecorderAWS
import RecorderCommands
import Testing

/// The Kinesis Agent's configuration: what each setting means, and what is said about those that cannot be followed.
@Suite struct AgentConfigurationTests {
    private func read(_ text: String) throws -> AgentConfiguration { try AgentConfiguration(Array(text.utf8)) }

    /// A configuration of one flow with these settings.
    private func flow(_ settings: String, stream: String = #""kinesisStream":"s""#) throws -> AgentFlow {
        let text = #"{"cloudwatch.emitMetrics":false,"flows":[{"filePattern":"/tmp/a*",\#(stream)\#(settings)}]}"#
        let configuration = try read(text)
        #expect(configuration.warnings == [])
        return configuration.flows[0]
    }

    private func error(_ text: String) -> String {
        do {
            _ = try read(text)
            return "none"
        } catch {
            return (error as? ConfigurationFailure)?.message ?? "\(error)"
        }
    }

    private func flowError(_ settings: String) -> String {
        error(#"{"flows":[{"filePattern":"/tmp/a*","kinesisStream":"s",\#(settings)}]}"#)
    }

    @Test func `the published example has two flows, and a warning about CloudWatch`() throws {
        let configuration = try read(publishedAgentExample)
        #expect(
            configuration.flows.map(\.destination) == [
                .kinesis("yourkinesisstream"), .firehose("yourfirehosedeliverystream"),
            ]
        )
        #expect(configuration.flows.map(\.patterns) == [["/tmp/app1.log*"], ["/tmp/app2.log*"]])
        #expect(configuration.kinesisEndpoint?.url == "https://your/kinesis/endpoint")
        #expect(configuration.firehoseEndpoint?.url == "https://your/firehose/endpoint")
        #expect(configuration.warnings == ["CloudWatch metrics are not sent: cloudwatch.* has no effect."])
    }

    @Test func `without a setting of CloudWatch nothing is said about it`() throws {
        let text = #"{"flows":[{"filePattern":"/tmp/a*","kinesisStream":"s"}]}"#
        #expect(try read(text).warnings == [])
    }

    @Test func `the installed configuration is read, with its empty endpoints`() throws {
        let configuration = try read(
            """
            {
              "cloudwatch.emitMetrics": true, "kinesis.endpoint": "", "firehose.endpoint": "",
              "flows": [
                { "filePattern": "/tmp/app.log*", "kinesisStream": "yourkinesisstream", "partitionKeyOption": "RANDOM" },
                { "filePattern": "/tmp/app.log*", "deliveryStream": "yourdeliverystream" }
              ]
            }
            """
        )
        #expect(configuration.kinesisEndpoint == nil && configuration.firehoseEndpoint == nil)
        #expect(configuration.flows.count == 2)
    }

    @Test func `what a flow does not set has the agent's defaults`() throws {
        let flow = try flow("")
        #expect(flow.startsAtEnd && flow.sharedEntryBytes == nil)
        #expect(flow.buffer.age == .seconds(60) && flow.buffer.bytes == 4_194_304 && flow.buffer.records == 500)
        #expect(flow.rules.multilineStart == nil && !flow.rules.joinsLines && flow.rules.skippedHeaderLines == 0)
        #expect(flow.rules.longLine == .cut(ending: [10]))
    }

    @Test func `each setting of a flow has its effect`() throws {
        let flow = try flow(
            #"""
            , "partitionKeyOption": "DETERMINISTIC", "initialPosition": "START_OF_FILE", "multiLineStartPattern": "\\[SEQUENCE=",
            "skipHeaderLines": 2, "truncatedRecordTerminator": "~\n", "maxBufferAgeMillis": 5000, "maxBufferSizeBytes": 1000,
            "maxBufferSizeRecords": "10", "minTimeBetweenFilePollsMillis": 50,
            "dataProcessingOptions": [ { "optionName": "SINGLELINE" } ]
            """#
        )
        guard case .digest? = flow.rules.key else { return #expect(Bool(false), "the key is no hash") }
        #expect(!flow.startsAtEnd && flow.rules.joinsLines && flow.rules.skippedHeaderLines == 2)
        #expect(flow.rules.multilineStart?.source == #"\[SEQUENCE="#)
        #expect(flow.rules.longLine == .cut(ending: Array("~\n".utf8)))
        #expect(flow.buffer.age == .seconds(5) && flow.buffer.bytes == 1_000 && flow.buffer.records == 10)
    }

    @Test func `small letters are the same as capitals`() throws {
        let flow = try flow(
            #","partitionKeyOption":"deterministic","initialPosition":"start_of_file","dataProcessingOptions":[{"optionName":"singleline"}]"#
        )
        guard case .digest? = flow.rules.key else { return #expect(Bool(false), "the key is no hash") }
        #expect(!flow.startsAtEnd && flow.rules.joinsLines)
    }

    @Test func `a start pattern matches at the start of a line only, as in the agent`() throws {
        let pattern = try #require(try flow(#","multiLineStartPattern":"\\d+|x""#).rules.multilineStart)
        for (line, isStart) in [("12 a", true), ("xa", true), (" 12", false), ("ax", false)] {
            #expect((pattern.match(in: Array(line.utf8).span) != .none) == isStart, "\(line)")
        }
    }

    @Test func `a delivery stream may join its records, and needs no partition key`() throws {
        let flow = try flow(
            #","aggregatedRecordSizeBytes":5120,"partitionKeyOption":"DETERMINISTIC""#,
            stream: #""deliveryStream":"d""#
        )
        #expect(flow.sharedEntryBytes == 5_120 && flow.rules.key == nil && !flow.destination.isKinesis)
        #expect(try self.flow(#","aggregatedRecordSizeBytes":0"#).sharedEntryBytes == nil)
    }

    @Test func `keys, role and endpoints are those of the file, with https if there is no scheme`() throws {
        let configuration = try read(
            """
            {"awsAccessKeyId":"ID","awsSecretAccessKey":"SECRET","assumeRoleARN":"arn:aws:iam::1:role/r",
            "assumeRoleExternalId":"x","kinesis.endpoint":"kinesis.us-west-2.amazonaws.com","sts.endpoint":"http://127.0.0.1:1",
            "kinesis.region":"eu-west-1","cloudwatch.emitMetrics":"no",
            "flows":[{"filePattern":"/a","kinesisStream":"s"}]}
            """
        )
        #expect(
            configuration.credentials?.accessKeyID == "ID" && configuration.credentials?.secretAccessKey == "SECRET"
        )
        #expect(configuration.role?.roleARN == "arn:aws:iam::1:role/r" && configuration.role?.externalID == "x")
        #expect(configuration.kinesisEndpoint?.host == "kinesis.us-west-2.amazonaws.com")
        #expect(configuration.securityTokenEndpoint?.url == "http://127.0.0.1:1/")
        #expect(configuration.kinesisRegion?.name == "eu-west-1" && configuration.warnings == [])
        #expect(!"\(configuration)".contains("SECRET"))
    }

    @Test func `comments are no part of the configuration, strings are`() throws {
        let configuration = try read(
            """
            // the flows
            {"flows": [ /* one
            of them */ {"filePattern": "/tmp//a/*b*", "kinesisStream": "s" } ], // "x": 1
            "cloudwatch.emitMetrics": false }
            """
        )
        #expect(configuration.flows[0].filePattern == "/tmp//a/*b*" && configuration.warnings == [])
    }

    @Test func `alternatives in braces become patterns of their own`() throws {
        #expect(
            BracePattern.expand("/log/{app,web}.{1,2}*") == [
                "/log/app.1*", "/log/app.2*", "/log/web.1*", "/log/web.2*",
            ]
        )
        #expect(BracePattern.expand(#"/log/\{a"#) == [#"/log/\{a"#] && BracePattern.expand("/a}") == ["/a}"])
        for pattern in ["/{a", "/{a,{b}}", "/" + String(repeating: "{a,b}", count: 7)] {
            #expect(BracePattern.expand(pattern) == nil, "\(pattern)")
        }
    }

    @Test func `a key that is not known, or has no effect, is a warning, once`() throws {
        let configuration = try read(
            """
            {"cloudwatch.emitMetrics":false,"cloudwatch.endpoint":"x","checkpointFile":"/tmp/c","maxConnections":5,"log.level":"INFO",
            "flow":[],"flows":[{"filePattern":"/a","kinesisStream":"s","initialPositon":"END_OF_FILE","publishQueueCapacity":1}]}
            """
        )
        #expect(
            configuration.warnings == [
                "flows[0].publishQueueCapacity has no effect.",
                "flows[0].initialPositon is not known, and has no effect. Did you mean initialPosition?",
                "checkpointFile has no effect: positions are kept in the store, with the records.",
                "log.level, maxConnections have no effect.",
                "flow is not known, and has no effect. Did you mean flows?",
            ]
        )
    }

    @Test(arguments: [
        (
            #""maxBufferAgeMillis":true"#,
            "flows[0].maxBufferAgeMillis is true or false: a whole number from 1,000 to 900,000 is expected."
        ),
        (
            #""maxBufferAgeMillis":1.5"#,
            "flows[0].maxBufferAgeMillis is a number: a whole number from 1,000 to 900,000 is expected."
        ),
        (
            #""maxBufferAgeMillis":999"#,
            "flows[0].maxBufferAgeMillis is 999: a whole number from 1,000 to 900,000 is expected."
        ),
        (
            #""maxBufferSizeRecords":501"#,
            "flows[0].maxBufferSizeRecords is 501: a whole number from 1 to 500 is expected."
        ),
        (#""skipHeaderLines":-1"#, "flows[0].skipHeaderLines is -1: a whole number from 0 to 1,000 is expected."),
        (#""multiLineStartPattern":["a"]"#, "flows[0].multiLineStartPattern is a list: a string is expected."),
        (#""initialPosition":"END""#, #"flows[0].initialPosition is "END": START_OF_FILE or END_OF_FILE is expected."#),
        (#""partitionKeyOption":{}"#, "flows[0].partitionKeyOption is an object: RANDOM or DETERMINISTIC is expected."),
        (#""dataProcessingOptions":{}"#, "flows[0].dataProcessingOptions is an object: a list of objects is expected."),
        (
            #""dataProcessingOptions":["SINGLELINE"]"#,
            "flows[0].dataProcessingOptions[0] is a string: an object is expected."
        ),
    ])
    func `a value of the wrong type or range is an error that names the key and what is expected`(
        settings: String,
        message: String
    ) {
        #expect(flowError(settings) == message)
    }

    @Test(arguments: [
        (#""dataProcessingOptions":[{"optionName":"CSVTOJSON"}]"#, "only SINGLELINE is supported"),
        (#""fileFooterPattern":"^END""#, "fileFooterPattern is not supported"),
        (#""aggregatedRecordSizeBytes":5000"#, "would join lines"), (#""deliveryStream":"d""#, "make it two flows"),
        (#""multiLineStartPattern":"(?=a""#, "missing closing parenthesis (at offset 4)"),
    ])
    func `what would change the records is an error`(settings: String, reason: String) {
        #expect(flowError(settings).hasPrefix("flows[0]") && flowError(settings).contains(reason))
    }

    @Test(arguments: [
        ("{}", "There are no flows."), (#"{"flows":[]}"#, "There are no flows."),
        ("[]", "This is a list; an object is expected."),
        ("", "This is not JSON, from line 1 on."), ("{\n\"flows\": [\n{,}]}", "This is not JSON, from line 3 on."),
        (#"{"flows":[{"kinesisStream":"s"}]}"#, "flows[0].filePattern is missing"),
        (#"{"flows":[{"filePattern":"a.log","kinesisStream":"s"}]}"#, "begins with /"),
        (#"{"flows":[{"filePattern":"/a/","kinesisStream":"s"}]}"#, "a file name is missing"),
        (#"{"flows":[{"filePattern":"/{a","kinesisStream":"s"}]}"#, "the braces {...} are not closed"),
        (#"{"flows":[{"filePattern":"/a"}]}"#, "neither kinesisStream nor deliveryStream"),
        (
            #"{"flows":[{"filePattern":"/a","kinesisStream":"s"},{"filePattern":"/a","kinesisStream":"s"}]}"#,
            "flows[1] has the files"
        ),
        (#"{"awsAccessKeyId":"A","flows":[{"filePattern":"/a","kinesisStream":"s"}]}"#, "without awsSecretAccessKey"),
        (
            #"{"kinesis.endpoint":"https://u:p@h","flows":[{"filePattern":"/a","kinesisStream":"s"}]}"#,
            "kinesis.endpoint: "
        ),
        (
            #"{"userDefinedCredentialsProvider.classname":"C","flows":[{"filePattern":"/a","kinesisStream":"s"}]}"#,
            "a Java class"
        ),
    ])
    func `a configuration that cannot be run says why`(text: String, reason: String) {
        #expect(error(text).contains(reason), "\(error(text))")
    }

    @Test func `no error shows a secret`() {
        #expect(
            error(
                #"{"awsAccessKeyId":"A","awsSecretAccessKey":["SECRET"],"flows":[{"filePattern":"/a","kinesisStream":"s"}]}"#
            )
                == "awsSecretAccessKey is a list: a string is expected."
        )
    }

    @Test(
        arguments: [
            ("https://kinesis.us-west-2.amazonaws.com", "us-west-2"),
            ("https://kinesis-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
            ("https://kinesis.cn-north-1.amazonaws.com.cn", "cn-north-1"),
            ("https://kinesis.eu-west-1.api.aws", "eu-west-1"),
            ("https://vpce-0a1b-c2d.kinesis.eu-central-1.vpce.amazonaws.com", "eu-central-1"),
            ("http://127.0.0.1:4567", nil),
            ("https://kinesis.us-west-2.example.com", nil), ("https://your/kinesis/endpoint", nil),
        ] as [(String, String?)]
    )
    func `the region is that of an endpoint of AWS`(endpoint: String, region: String?) throws {
        #expect(AgentConfiguration.region(of: try Endpoint(url: endpoint))?.name == region)
    }
}

/// The example of the Kinesis Agent's documentation, with two flows:
/// https://docs.aws.amazon.com/streams/latest/dev/writing-with-agents.html
let publishedAgentExample = """
    {
        "cloudwatch.emitMetrics": true,
        "kinesis.endpoint": "https://your/kinesis/endpoint",
        "firehose.endpoint": "https://your/firehose/endpoint",
        "flows": [
            {
                "filePattern": "/tmp/app1.log*",
                "kinesisStream": "yourkinesisstream"
            },
            {
                "filePattern": "/tmp/app2.log*",
                "deliveryStream": "yourfirehosedeliverystream"
            }
        ]
    }
    """
