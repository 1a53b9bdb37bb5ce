// swift-tools-version: 6.3
import PackageDescription

/// C libraries that every Linux distribution ships, each behind one module map.
func systemLibrary(_ name: String, apt package: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", providers: [.apt([package])])
}

let package = Package(
    name: "swift-aws-recorder",
    products: [
        // For new code: names that no other package has.
        .library(name: "KinesisRecorders", targets: ["KinesisRecorders", "MobileFoundation", "RecorderAccounting"]),
        .library(name: "RecordClients", targets: ["RecordClients", "RecordClientFoundation"]),
        .library(name: "MobileServiceClients", targets: ["MobileServiceClients"]),
        .library(
            name: "ServiceClients",
            targets: ["AWSFirehoseClient", "AWSKinesisClient", "AWSServiceClients", "ServiceClientHTTP"]
        ),
        .executable(name: "kinesis-recorder", targets: ["kinesis-recorder"]),

        // For ported code: the names of the AWS SDK for iOS and of Amplify for Swift.
        .library(name: "AWSCore", targets: ["AWSCore"]),
        .library(name: "AWSCognito", targets: ["AWSCognito"]),
        .library(name: "AWSKinesis", targets: ["AWSKinesis"]),
        .library(name: "AWSFirehose", targets: ["AWSFirehose"]),
        .library(name: "AmplifyKinesisClient", targets: ["AmplifyKinesisClient"]),
        .library(name: "AmplifyFirehoseClient", targets: ["AmplifyFirehoseClient"]),
        .library(name: "AmplifyFoundation", targets: ["AmplifyFoundation"]),
        .library(name: "AmplifyFoundationBridge", targets: ["AmplifyFoundationBridge"]),
        .library(name: "AmplifyRecordCache", targets: ["AmplifyRecordCache"]),

        // Only so that imports of the AWS SDK for Swift compile in code that is ported from Amplify.
        .library(name: "SmithyHTTPAPI", targets: ["SmithyHTTPAPI"]),
        .library(name: "Smithy", targets: ["Smithy"]),
        .library(name: "SmithyIdentity", targets: ["SmithyIdentity"]),
        .library(name: "SmithyRetries", targets: ["SmithyRetries"]),
        .library(name: "SmithyRetriesAPI", targets: ["SmithyRetriesAPI"]),
        .library(name: "ClientRuntime", targets: ["ClientRuntime"]),
        .library(name: "AWSClientRuntime", targets: ["AWSClientRuntime"]),
        .library(name: "AWSSDKIdentity", targets: ["AWSSDKIdentity"]),
    ],
    traits: [
        .trait(name: "SwiftLog", description: "AWSKinesisRecorder.log(to:): messages go to a Logger of swift-log"),
        .trait(name: "SwiftMetrics", description: "sendMetrics(dimensions:): metrics of submits go to swift-metrics"),
        .trait(name: "ServiceLifecycle", description: "RecorderService, for a group of swift-service-lifecycle"),
    ],
    // Fetched only with their trait, which is off by default.
    dependencies: [
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        // Devices: C libraries, and the one target each that may call them. RecorderConcurrency is a lock and a shared wait.
        systemLibrary("CRecorderSQLite", apt: "libsqlite3-dev"),
        systemLibrary("CRecorderCurl", apt: "libcurl4-openssl-dev"),
        systemLibrary("CRecorderCrypto", apt: "libssl-dev"),
        systemLibrary("CRecorderZlib", apt: "zlib1g-dev"),
        systemLibrary("CRecorderPCRE2", apt: "libpcre2-dev"),
        systemLibrary("CRecorderThread", apt: "libc6-dev"),
        systemLibrary("CRecorderProcess", apt: "libc6-dev"),
        .target(name: "RecorderConcurrency", dependencies: ["CRecorderThread"]),
        .target(name: "RecorderSQLite", dependencies: ["CRecorderSQLite"]),
        // What is in a Kinesis record: keys that name records, and aggregated records. A consumer needs no more.
        .target(name: "RecordFormats", dependencies: ["CRecorderCrypto"]),
        .target(
            name: "RecorderHTTP",
            dependencies: ["CRecorderCurl", "CRecorderZlib", "RecordFormats", "RecorderConcurrency"]
        ),
        .target(
            name: "RecorderAWS",
            dependencies: [
                "CRecorderCrypto", "CRecorderProcess", "RecordFormats", "RecorderConcurrency", "RecorderHTTP",
            ]
        ),

        // The stages of a record: save and store; batch, send, settle and flush; and the interface to all of them.
        .target(
            name: "RecorderStore",
            dependencies: [
                "RecordFormats", "RecorderAWS", "RecorderConcurrency", "RecorderHTTP", "RecorderSQLite",
            ]
        ),
        .target(
            name: "RecorderDelivery",
            dependencies: [
                "CRecorderThread", "RecordFormats", "RecorderAWS", "RecorderConcurrency", "RecorderHTTP",
                "RecorderStore",
            ]
        ),
        .target(
            name: "RecorderEngine",
            dependencies: ["RecorderAWS", "RecorderConcurrency", "RecorderDelivery", "RecorderStore"]
        ),
        // What comes before them where records are made of lines.
        .target(
            name: "LineRecords",
            dependencies: ["CRecorderPCRE2", "RecordFormats", "RecorderAWS", "RecorderConcurrency", "RecorderStore"]
        ),

        // The recorders, and what else of the AWS SDK for iOS is here: the rest of its AWSCore, and its service clients.
        .target(name: "AWSTasks", dependencies: ["CRecorderThread", "RecorderConcurrency"]),
        .target(
            name: "RecorderConfiguration",
            dependencies: ["AWSTasks", "RecorderAWS", "RecorderConcurrency", "RecorderHTTP"]
        ),
        .target(
            name: "MobileFoundation",
            dependencies: [
                "AWSTasks", "RecordFormats", "RecorderAWS", "RecorderConcurrency", "RecorderConfiguration",
                "RecorderHTTP",
            ]
        ),
        .target(
            name: "KinesisRecorders",
            dependencies: [
                "AWSTasks", "MobileFoundation", "RecorderAWS", "RecorderConcurrency", "RecorderConfiguration",
                "RecorderDelivery", "RecorderEngine", "RecorderStore",
            ]
        ),
        // What a consumer of the streams needs.
        .target(name: "RecorderAccounting", dependencies: ["RecordFormats"]),
        .target(
            name: "MobileServiceClients",
            dependencies: [
                "AWSServiceClients", "AWSTasks", "MobileFoundation", "RecorderAWS", "RecorderConcurrency",
                "RecorderConfiguration",
            ]
        ),

        // The record clients of Amplify, the service clients of today's SDK, most of them generated, what they share, and the
        // HTTP types of their interface. The engine and the command line do not depend on them.
        .target(name: "ServiceClientHTTP", dependencies: ["RecorderConcurrency"]),
        .target(
            name: "AWSServiceClients",
            dependencies: ["RecorderAWS", "RecorderConcurrency", "RecorderHTTP", "ServiceClientHTTP"]
        ),
        .target(name: "AWSKinesisClient", dependencies: ["AWSServiceClients", "RecorderAWS"]),
        .target(name: "AWSFirehoseClient", dependencies: ["AWSServiceClients", "RecorderAWS"]),
        .target(name: "RecordClientFoundation", dependencies: ["RecorderConcurrency"]),
        .target(
            name: "RecordClients",
            dependencies: [
                "AWSFirehoseClient", "AWSKinesisClient", "AWSServiceClients", "AWSTasks", "RecordClientFoundation",
                "RecorderAWS", "RecorderConcurrency", "RecorderConfiguration", "RecorderDelivery", "RecorderEngine",
                "RecorderStore", "ServiceClientHTTP",
            ]
        ),

        // The modules of the AWS SDK for iOS and of Amplify for Swift; each only re-exports what it has there.
        .target(name: "AWSCore", dependencies: ["AWSTasks", "MobileFoundation", "RecorderConfiguration"]),
        .target(name: "AWSCognito", dependencies: ["AWSCore"]),
        .target(
            name: "AWSKinesis",
            dependencies: [
                "AWSCore", "AWSKinesisClient", "AWSServiceClients", "KinesisRecorders", "MobileServiceClients",
                "RecorderAccounting",
            ]
        ),
        .target(name: "AWSFirehose", dependencies: ["AWSFirehoseClient", "AWSKinesis"]),
        .target(name: "AmplifyFoundation", dependencies: ["RecordClientFoundation"]),
        .target(name: "AmplifyFoundationBridge", dependencies: ["RecordClients"]),
        .target(name: "AmplifyRecordCache", dependencies: ["RecordClients"]),
        .target(
            name: "AmplifyKinesisClient",
            dependencies: ["AWSKinesisClient", "AWSServiceClients", "AmplifyRecordCache", "RecordClients"]
        ),
        .target(
            name: "AmplifyFirehoseClient",
            dependencies: ["AWSFirehoseClient", "AWSServiceClients", "AmplifyRecordCache", "RecordClients"]
        ),
        // Those of the AWS SDK for Swift, so that its imports compile.
        .target(name: "SmithyHTTPAPI", dependencies: ["ServiceClientHTTP"]),
        .target(name: "Smithy", dependencies: ["AWSServiceClients", "ServiceClientHTTP"]),
        .target(name: "SmithyIdentity", dependencies: ["AWSServiceClients"]),
        .target(name: "SmithyRetries", dependencies: ["AWSServiceClients"]),
        .target(name: "SmithyRetriesAPI", dependencies: ["AWSServiceClients"]),
        .target(name: "ClientRuntime", dependencies: ["AWSServiceClients"]),
        .target(name: "AWSClientRuntime", dependencies: ["AWSServiceClients"]),
        .target(name: "AWSSDKIdentity", dependencies: ["AWSServiceClients"]),

        // Following files: which ones, what becomes of them, and their lines as records.
        .target(
            name: "FileFollowing",
            dependencies: [
                "CRecorderProcess", "LineRecords", "RecorderAWS", "RecorderConcurrency", "RecorderEngine",
                "RecorderHTTP", "RecorderStore",
            ]
        ),

        // The command line.
        .target(
            name: "RecorderCommands",
            dependencies: [
                "CRecorderProcess", "CRecorderThread", "FileFollowing", "LineRecords", "RecordFormats", "RecorderAWS",
                "RecorderConcurrency", "RecorderDelivery", "RecorderEngine", "RecorderHTTP", "RecorderSQLite",
                "RecorderStore",
            ]
        ),
        .executableTarget(name: "kinesis-recorder", dependencies: ["RecorderCommands"]),

        // Tests.
        .target(
            name: "RecorderTestSupport",
            dependencies: [
                "RecordFormats", "RecorderAWS", "RecorderConcurrency", "RecorderEngine", "RecorderHTTP",
                "RecorderSQLite", "RecorderStore",
            ],
            path: "Tests/Support/RecorderTestSupport"
        ),
        .testTarget(
            name: "RecorderSQLiteTests",
            dependencies: ["RecorderSQLite", "RecorderTestSupport"],
            path: "Tests/Unit/RecorderSQLiteTests"
        ),
        .testTarget(
            name: "RecorderHTTPTests",
            dependencies: ["RecorderHTTP", "RecorderTestSupport"],
            path: "Tests/Unit/RecorderHTTPTests"
        ),
        .testTarget(
            name: "RecorderAWSTests",
            dependencies: [
                "RecordFormats", "RecorderAWS", "RecorderConcurrency", "RecorderHTTP", "RecorderTestSupport",
            ],
            path: "Tests/Unit/RecorderAWSTests",
            resources: [.copy("Vectors")]
        ),
        .testTarget(
            name: "AWSServiceClientsTests",
            dependencies: [
                "AWSFirehoseClient", "AWSKinesisClient", "AWSServiceClients", "RecorderAWS", "RecorderConcurrency",
                "RecorderHTTP", "RecorderTestSupport", "SmithyHTTPAPI",
            ],
            path: "Tests/Unit/AWSServiceClientsTests"
        ),
        .testTarget(
            name: "RecorderEngineTests",
            dependencies: [
                "AnswerFuzzer", "RecordFormats", "RecorderAWS", "RecorderConcurrency", "RecorderDelivery",
                "RecorderEngine", "RecorderHTTP", "RecorderSQLite", "RecorderStore", "RecorderTestSupport",
            ],
            path: "Tests/Unit/RecorderEngineTests"
        ),
        .executableTarget(
            name: "StoreChild",
            dependencies: [
                "CRecorderCrypto", "RecorderAWS", "RecorderEngine", "RecorderHTTP", "RecorderSQLite", "RecorderStore",
                "RecorderTestSupport",
            ],
            path: "Tests/Faults/StoreChild"
        ),
        .testTarget(
            name: "StoreFaultTests",
            dependencies: [
                "AWSKinesis", "RecordFormats", "RecorderConcurrency", "RecorderEngine", "RecorderHTTP",
                "RecorderSQLite", "RecorderStore", "RecorderTestSupport", "StoreChild", "kinesis-recorder",
            ],
            path: "Tests/Faults/StoreFaultTests"
        ),
        .testTarget(
            name: "LineRecordsTests",
            dependencies: ["LineRecords", "RecorderAWS", "RecorderStore", "RecorderTestSupport"],
            path: "Tests/Unit/LineRecordsTests"
        ),
        .testTarget(
            name: "FileFollowingTests",
            dependencies: ["FileFollowing", "LineRecords", "RecorderHTTP", "RecorderStore", "RecorderTestSupport"],
            path: "Tests/Unit/FileFollowingTests"
        ),
        .testTarget(
            name: "RecorderCommandsTests",
            dependencies: [
                "AmplifyFoundation", "AmplifyKinesisClient", "FileFollowing", "LineRecords", "RecordFormats",
                "RecorderAWS", "RecorderCommands", "RecorderConcurrency", "RecorderHTTP", "RecorderSQLite",
                "RecorderStore", "RecorderTestSupport", "kinesis-recorder",
            ],
            path: "Tests/Unit/RecorderCommandsTests"
        ),
        .testTarget(
            name: "AWSTasksTests",
            dependencies: ["AWSTasks", "RecorderTestSupport"],
            path: "Tests/Unit/AWSTasksTests"
        ),
        .testTarget(
            name: "AWSCoreTests",
            dependencies: ["AWSCore", "RecorderAWS", "RecorderConcurrency", "RecorderHTTP", "RecorderTestSupport"],
            path: "Tests/Unit/AWSCoreTests"
        ),
        .testTarget(
            name: "AmplifyFoundationTests",
            dependencies: ["AmplifyFoundation", "RecorderConcurrency"],
            path: "Tests/Unit/AmplifyFoundationTests"
        ),
        .testTarget(
            name: "AmplifyFoundationBridgeTests",
            dependencies: [
                "AWSCore", "AWSKinesisClient", "AWSServiceClients", "AmplifyFoundation", "AmplifyFoundationBridge",
                "SmithyHTTPAPI",
            ],
            path: "Tests/Unit/AmplifyFoundationBridgeTests"
        ),
        .testTarget(
            name: "AmplifyClientTests",
            dependencies: [
                "AWSCore", "AWSKinesisClient", "AmplifyChild", "AmplifyFirehoseClient", "AmplifyFoundation",
                "AmplifyFoundationBridge", "AmplifyGuide", "AmplifyKinesisClient", "AmplifyRecordCache",
                "RecordClients",
                "RecorderAWS", "RecorderConcurrency", "RecorderTestSupport", "SmithyHTTPAPI",
            ],
            path: "Tests/Compatibility/AmplifyClientTests"
        ),
        .executableTarget(
            name: "AmplifyChild",
            dependencies: [
                "AmplifyFirehoseClient", "AmplifyFoundation", "AmplifyKinesisClient", "RecorderTestSupport",
            ],
            path: "Tests/Compatibility/AmplifyChild"
        ),
        .executableTarget(
            name: "AmplifyGuide",
            dependencies: [
                "AWSClientRuntime", "AWSFirehose", "AWSKinesis", "AWSSDKIdentity", "AmplifyFirehoseClient",
                "AmplifyFoundation", "AmplifyFoundationBridge", "AmplifyKinesisClient", "AmplifyRecordCache",
                "ClientRuntime", "Smithy", "SmithyHTTPAPI", "SmithyIdentity", "SmithyRetries", "SmithyRetriesAPI",
            ],
            path: "Tests/Compatibility/AmplifyGuide"
        ),
        .testTarget(name: "TaskSpellings", dependencies: ["AWSCore"], path: "Tests/Compatibility/TaskSpellings"),
        .testTarget(
            name: "AWSKinesisTests",
            dependencies: [
                "AWSCognito", "AWSCore", "AWSFirehose", "AWSKinesis", "RecorderAWS", "RecorderConcurrency",
                "RecorderEngine", "RecorderHTTP", "RecorderStore", "RecorderTestSupport",
            ],
            path: "Tests/Compatibility/AWSKinesisTests",
            resources: [.copy("Recordings")]
        ),
        .testTarget(
            name: "DocSnippets",
            dependencies: ["AWSCognito", "AWSCore", "AWSFirehose", "AWSKinesis"],
            path: "Tests/Compatibility/DocSnippets",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "DocSnippetsSwift4",
            dependencies: ["AWSCognito", "AWSCore", "AWSKinesis"],
            path: "Tests/Compatibility/DocSnippetsSwift4",
            swiftSettings: [.swiftLanguageMode(.v4)]
        ),
        .testTarget(
            name: "MigrationTests",
            dependencies: ["MigrationProgram", "RecorderTestSupport"],
            path: "Tests/Compatibility/MigrationTests",
            exclude: ["CompilerErrors.md"]
        ),
        .executableTarget(
            name: "MigrationProgram",
            dependencies: ["AWSKinesis"],
            path: "Tests/Compatibility/MigrationProgram",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(
            name: "OldCallersSwift4",
            dependencies: ["AWSCognito", "AWSCore", "AWSKinesis"],
            path: "Tests/Compatibility/OldCallersSwift4",
            swiftSettings: [.swiftLanguageMode(.v4)]
        ),
        .target(
            name: "OldCallersSwift5",
            dependencies: ["AWSCognito", "AWSCore", "AWSFirehose", "AWSKinesis"],
            path: "Tests/Compatibility/OldCallersSwift5",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(
            name: "OldCallersSwift6",
            dependencies: ["AWSCognito", "AWSFirehose", "AWSKinesis"],
            path: "Tests/Compatibility/OldCallersSwift6"
        ),
        .testTarget(
            name: "OldCallersTests",
            dependencies: [
                "AWSCognito", "AWSCore", "AWSFirehose", "AWSKinesis", "OldCallersSwift4", "OldCallersSwift5",
                "OldCallersSwift6", "RecorderConcurrency", "RecorderTestSupport",
            ],
            path: "Tests/Compatibility/OldCallersTests"
        ),
        .target(
            name: "AnswerFuzzer",
            dependencies: [
                "RecorderAWS", "RecorderConcurrency", "RecorderDelivery", "RecorderEngine", "RecorderHTTP",
                "RecorderStore", "RecorderTestSupport",
            ],
            path: "Tests/Faults/AnswerFuzzer",
            exclude: ["Corpus", "words.dict"]
        ),
        .executableTarget(
            name: "SanitizerControl",
            dependencies: ["RecorderConcurrency"],
            path: "Tests/Faults/SanitizerControl"
        ),
        // The simulated world. What SimulatedMachine defines stands in for the C library, so only this program may link it.
        .target(name: "SimulatedMachine", path: "Tests/Simulation/Machine"),
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "AWSFirehoseClient", "AWSKinesisClient", "RecordClientFoundation", "RecordClients", "RecordFormats",
                "RecorderAWS", "RecorderCommands", "RecorderConcurrency", "RecorderDelivery", "RecorderEngine",
                "RecorderHTTP", "RecorderStore", "ServiceClientHTTP", "SimulatedMachine",
            ],
            path: "Tests/Simulation/Simulation"
        ),
        // Runs that program, and does not depend on it: that would link it into the bundle of all tests.
        .testTarget(
            name: "SimulationTests",
            dependencies: ["RecorderTestSupport"],
            path: "Tests/Simulation/SimulationTests"
        ),
        // Run by Scripts/traits, with the traits that it chooses.
        .testTarget(
            name: "TraitTests",
            dependencies: ["KinesisRecorders", "RecorderAWS", "RecorderConcurrency", "RecorderTestSupport"],
            path: "Tests/Traits"
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "AWSCore", "AmplifyFoundation", "AmplifyKinesisClient", "CRecorderSQLite", "RecorderAWS",
                "RecorderEngine", "RecorderHTTP", "RecorderStore", "RecorderTestSupport",
            ],
            path: "Benchmarks",
            exclude: ["Peers"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where ["KinesisRecorders", "TraitTests"].contains(target.name) {
    target.dependencies += [
        .product(name: "Logging", package: "swift-log", condition: .when(traits: ["SwiftLog"])),
        .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["SwiftMetrics"])),
        .product(
            name: "ServiceLifecycle",
            package: "swift-service-lifecycle",
            condition: .when(traits: ["ServiceLifecycle"])
        ),
    ]
}

/// Names of other packages. SwiftPM refuses a graph in which two packages have a target or a product of one name, used or not.
let upstreamNames: Set = [
    "AWSCore", "AWSCognito", "AWSKinesis", "AWSFirehose", "AmplifyFoundation", "AmplifyFoundationBridge",
    "AmplifyRecordCache", "AmplifyKinesisClient", "AmplifyFirehoseClient", "SmithyHTTPAPI", "Smithy", "SmithyIdentity",
    "SmithyRetries", "SmithyRetriesAPI", "ClientRuntime", "AWSClientRuntime", "AWSSDKIdentity",
]

if Context.environment["RECORDER_OWN_NAMES_ONLY"] == "1" {
    package.products.removeAll { upstreamNames.contains($0.name) }
    package.targets.removeAll { upstreamNames.contains($0.name) || $0.path?.hasPrefix("Sources/") == false }
}

/// The tests of the traits are built without the others, which have no traits to test.
if Context.environment["RECORDER_TRAIT_TESTS"] == "1" {
    package.products = []
    package.targets.removeAll { target in
        upstreamNames.contains(target.name)
            || target.path?.hasPrefix("Sources/") == false
                && !["TraitTests", "RecorderTestSupport"].contains(target.name)
            || [
                "RecordClients", "RecordClientFoundation", "AWSKinesisClient", "AWSFirehoseClient",
                "MobileServiceClients", "kinesis-recorder", "RecorderCommands", "FileFollowing", "LineRecords",
            ].contains(target.name)
    }
} else {
    package.targets.removeAll { $0.name == "TraitTests" }
}

/// Old sources must compile as they stand, warnings and all.
let oldSources: Set = [
    "AmplifyGuide", "DocSnippets", "DocSnippetsSwift4", "MigrationProgram", "OldCallersSwift4",
    "OldCallersSwift5", "OldCallersSwift6", "TaskSpellings",
]

/// Raw pointers are at home only where a C library is called.
let callsC: Set = [
    "RecorderSQLite", "RecordFormats", "RecorderHTTP", "RecorderAWS", "LineRecords", "RecorderTestSupport",
    "AnswerFuzzer",
]

for target in package.targets where target.type != .system && !oldSources.contains(target.name) {
    var settings: [SwiftSetting] = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
    if target.type == .regular && !callsC.contains(target.name) {
        settings.append(.strictMemorySafety())
    }
    if Context.environment["RECORDER_STRICT"] == "1" {
        settings.append(.treatAllWarnings(as: .error))
    }
    target.swiftSettings = settings + (target.swiftSettings ?? [])
}

/// Programs that are not run under a sanitizer, because what they call is called by other tests, or because they replace what a
/// sanitizer replaces: not built for it either.
let notSanitized = oldSources.union([
    "Benchmarks", "MigrationTests", "OldCallersTests", "SimulatedMachine", "Simulation", "SimulationTests",
])

/// Scripts/sanitize and Scripts/mutations name the targets that they run, or `all`; these are built with what they need, and nothing else
/// is. Of a target they may name the files, as in `Target:One.swift,Two.swift`.
if let wanted = Context.environment["RECORDER_ONLY"] {
    let all = package.targets.map { ($0.name, [String]()) }
    let named = wanted.split(separator: " ").map { words in
        let parts = words.split(separator: ":").map(String.init)
        return (parts[0], parts.dropFirst().flatMap { $0.split(separator: ",").map(String.init) })
    }
    let files = Dictionary(uniqueKeysWithValues: wanted == "all" ? all : named)
    var kept = Set(files.keys).subtracting(notSanitized)
    var waiting = Array(kept)
    while let name = waiting.popLast() {
        guard let target = package.targets.first(where: { $0.name == name }) else { fatalError("no target \(name)") }
        if let files = files[name], !files.isEmpty { target.sources = files }
        target.dependencies.removeAll { dependency in
            guard case .byNameItem(let needed, _) = dependency else { return false }
            if notSanitized.contains(needed) { return true }
            if kept.insert(needed).inserted { waiting.append(needed) }
            return false
        }
    }
    package.products = []
    package.targets.removeAll { !kept.contains($0.name) }
    // Without a target that has them for a trait, they would be fetched.
    if !kept.contains("KinesisRecorders") { package.dependencies = [] }
}
