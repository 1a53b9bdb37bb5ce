// The service's own client, which `getKinesisClient()` returns.
@_exported public import AWSKinesisClient
@_exported public import AWSServiceClients
// `import AmplifyKinesisClient` also imports the types that its calls return, as in Amplify for Swift.
@_exported public import AmplifyRecordCache

// What Amplify for Swift has in the module of this name.
@_exported public import class RecordClients.AmplifyKinesisClient
@_exported public import typealias RecordClients.AmplifyKinesisClientConfigurationProvider
@_exported public import enum RecordClients.KinesisError
@_exported public import enum RecordClients.KinesisRequestFormat
