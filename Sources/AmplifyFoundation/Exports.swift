// `AWSCore`, which `AWSKinesis` exports, has an `AWSCredentials` and an `AWSCredentialsProvider`, too. In a file that imports
// both modules, the compiler prefers names that are imported one by one, so these mean Amplify's. Declared in this module,
// or exported as a whole, they would be ambiguous there.

@_exported public import protocol AmplifyCredentials.AWSCredentials
@_exported public import protocol AmplifyCredentials.AWSCredentialsProvider
@_exported public import protocol AmplifyCredentials.AWSTemporaryCredentials
