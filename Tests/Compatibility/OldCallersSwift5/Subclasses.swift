// swift-format-ignore-file
// Written after programs of Swift 3 to 5 and SDK 2.5 and later: a class derived from each class that may be derived from.
import AWSCognito
import AWSKinesis

/// A guest's provider that remembers how often it was asked.
public class CountingCognitoProvider: AWSCognitoCredentialsProvider {
    public var asked = 0

    public override func credentials() -> AWSTask<AWSCredentials> {
        asked += 1
        return super.credentials()
    }
}

/// A configuration with the settings of one application.
public class AppConfiguration: AWSServiceConfiguration {
    public var stage = "beta"

    public override var userAgent: String! { return super.userAgent + " " + stage }

    public override class func baseUserAgent() -> String! { return "app/1" }
}

/// Credentials with a name.
public class NamedCredentials: AWSCredentials {
    public var name = ""
}

/// Keys from a plist.
public class PlistCredentialsProvider: AWSStaticCredentialsProvider {
    public override func credentials() -> AWSTask<AWSCredentials> {
        return super.credentials()
    }
}

/// An identity that a backend authenticates.
public class BackendHelper: AWSCognitoCredentialsProviderHelper {
    public var calls = 0

    public override func token() -> AWSTask<NSString> {
        calls += 1
        return AWSTask(result: "backend-token")
    }
}

/// An identity that a backend provides completely.
public class WholeHelper: AWSAbstractCognitoCredentialsProviderHelper {
    var id = "us-east-1:11111111-2222-3333-4444-555555555555"

    public override func getIdentityId() -> AWSTask<NSString> {
        identityId = id
        return AWSTask(result: id as NSString)
    }
}

/// Loggers.
public class QuietLogger: AWSDDAbstractLogger {
    public var messages = 0

    public override func log(message logMessage: AWSDDLogMessage) {
        messages += 1
    }
}

public class AppFileLogger: AWSDDFileLogger {
    public var messages = 0

    public override func log(message logMessage: AWSDDLogMessage) {
        messages += 1
        super.log(message: logMessage)
    }
}
