// As in Amplify for Swift, `import AmplifyKinesisClient` brings the types that its calls give.
@_exported public import AmplifyRecordCache
// And the service's own client, which `getKinesisClient()` gives.
@_exported public import RecorderAWS
