// As in Amplify for Swift, `import AmplifyFirehoseClient` brings the types that its calls give.
@_exported public import AmplifyRecordCache
// And the service's own client, which `getFirehoseClient()` gives.
@_exported public import RecorderAWS
