// `AWSCore`, which `AWSKinesis` exports, has an `AWSCredentials` and an `AWSCredentialsProvider`, too. In a file that imports
// both modules, the compiler prefers names that are imported one by one, so these mean Amplify's.

@_exported public import RecordClientFoundation

@_exported public import protocol RecordClientFoundation.AWSCredentials
@_exported public import protocol RecordClientFoundation.AWSCredentialsProvider
@_exported public import protocol RecordClientFoundation.AWSTemporaryCredentials
