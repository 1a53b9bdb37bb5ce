package import RecorderAWS

/// The Amazon Kinesis Agent's configuration, `agent.json`: what it says, checked.
///
/// Keys, defaults and ranges are those of the agent's documentation. A setting that this program does not follow is a warning, or
/// an error if the records would be different ones.
package struct AgentConfiguration: Sendable {
    package var flows: [AgentFlow]
    package let kinesisEndpoint: Endpoint?
    package let firehoseEndpoint: Endpoint?
    package let securityTokenEndpoint: Endpoint?
    package let kinesisRegion: Region?
    /// The keys of the file, which take precedence over all others.
    package let credentials: Credentials?
    /// The role to assume with them, or with the machine's.
    package let role: RoleSession?
    /// What has no effect here or is not known; one line each.
    package var warnings: [String]

    /// Reads the text of a configuration: JSON, with comments as in Java.
    package init(_ text: [UInt8]) throws(ConfigurationFailure) {
        var reader = try AgentSettings(text)
        flows = try Self.flows(of: &reader)
        kinesisEndpoint = try reader.endpoint("kinesis.endpoint")
        firehoseEndpoint = try reader.endpoint("firehose.endpoint")
        securityTokenEndpoint = try reader.endpoint("sts.endpoint")
        kinesisRegion = try reader.region("kinesis.region")
        credentials = try Self.credentials(of: &reader)
        role = try Self.role(of: &reader)
        try Self.refuseJavaClasses(&reader)
        let sendsMetrics = try reader.flag("cloudwatch.emitMetrics")
        if reader.removeKeys(withPrefix: "cloudwatch.") || sendsMetrics == true, sendsMetrics != false {
            reader.warn("CloudWatch metrics are not sent: cloudwatch.* has no effect.")
        }
        if try reader.text("checkpointFile") != nil {
            reader.warn("checkpointFile has no effect: positions are kept in the store, with the records.")
        }
        reader.ignore(Self.ignored)
        reader.warnAboutRest()
        warnings = reader.warnings
    }

    /// Settings of the Java program's threads, connections and log.
    private static let ignored = [
        "checkpointTimeToLiveDays", "connectionTTLMillis", "connectionTimeoutMillis", "log.emitInternalMetrics",
        "log.emitMetrics", "log.file", "log.level", "log.maxBackupIndex", "log.maxFileSize",
        "log.statusReportingPeriodSeconds", "maxConnections", "maxSendingThreads", "maxSendingThreadsPerCore",
        "sendingThreadsKeepAliveMillis", "sendingThreadsMaxQueueSize", "shutdownTimeoutMillis", "socketTimeoutMillis",
        "useHttpGzip", "useTcpKeepAlive", "userAgent", "userAgentOverride",
    ]

    private static func flows(of reader: inout AgentSettings) throws(ConfigurationFailure) -> [AgentFlow] {
        var flows: [AgentFlow] = []
        for var settings in try reader.objects("flows") ?? [] {
            let flow = try AgentFlow(&settings)
            reader.warnings += settings.warnings
            if let same = flows.firstIndex(where: { $0.isSame(as: flow) }) {
                throw ConfigurationFailure(
                    "\(settings.path) has the files and the stream of flows[\(same)]: its lines would be sent twice. Remove one."
                )
            }
            flows.append(flow)
        }
        guard !flows.isEmpty else {
            throw ConfigurationFailure(
                #"There are no flows. Add one, as in "flows": [{"filePattern": "/tmp/app.log*", "kinesisStream": "app"}]."#
            )
        }
        return flows
    }

    private static func credentials(of reader: inout AgentSettings) throws(ConfigurationFailure) -> Credentials? {
        let (idName, secretName) = ("awsAccessKeyId", "awsSecretAccessKey")
        switch (try reader.text(idName), try reader.text(secretName)) {
        case (nil, nil): return nil
        case (let id?, let secret?): return Credentials(accessKeyID: id, secretAccessKey: secret)
        case (_?, nil): throw ConfigurationFailure("\(idName) is set without \(secretName): set both.")
        case (nil, _?): throw ConfigurationFailure("\(secretName) is set without \(idName): set both.")
        }
    }

    private static func role(of reader: inout AgentSettings) throws(ConfigurationFailure) -> RoleSession? {
        let (role, externalID) = (try reader.text("assumeRoleARN"), try reader.text("assumeRoleExternalId"))
        guard let role else {
            if externalID != nil { reader.warn("assumeRoleExternalId has no effect without assumeRoleARN.") }
            return nil
        }
        return RoleSession(roleARN: role, name: "AWSKinesisAgent", duration: .seconds(3_600), externalID: externalID)
    }

    /// Without the class, records would be sent with other keys, perhaps to another account.
    private static func refuseJavaClasses(_ reader: inout AgentSettings) throws(ConfigurationFailure) {
        let name = "userDefinedCredentialsProvider"
        guard try reader.text("\(name).classname") != nil else {
            reader.ignore(["\(name).location"])
            return
        }
        throw ConfigurationFailure(
            "\(name).classname is a Java class, which this program cannot run. Remove it, and set awsAccessKeyId and "
                + "awsSecretAccessKey, a profile with credential_process, or a role of the machine."
        )
    }
}
