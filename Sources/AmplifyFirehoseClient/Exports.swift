// The service's own client, which `getFirehoseClient()` returns.
@_exported public import AWSFirehoseClient
@_exported public import AWSServiceClients
// `import AmplifyFirehoseClient` also imports the types that its calls return, as in Amplify for Swift.
@_exported public import AmplifyRecordCache

// What Amplify for Swift has in the module of this name.
@_exported public import class RecordClients.AmplifyFirehoseClient
@_exported public import typealias RecordClients.AmplifyFirehoseClientConfigurationProvider
@_exported public import enum RecordClients.FirehoseError
