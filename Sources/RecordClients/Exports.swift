// Configuration, credentials and errors of the service clients.
@_exported public import AWSServiceClients

// The types of the clients' interface. One by one, so that they mean these where `KinesisRecorders` is imported, too, and without
// `Logger`, which many programs have from swift-log.
@_exported public import protocol RecordClientFoundation.AWSCredentials
@_exported public import protocol RecordClientFoundation.AWSCredentialsProvider
@_exported public import protocol RecordClientFoundation.AWSTemporaryCredentials
@_exported public import protocol RecordClientFoundation.AmplifyError
