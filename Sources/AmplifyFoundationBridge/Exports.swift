// What Amplify for Swift has in the module of this name.
@_exported public import enum RecordClients.FoundationBridgeError
@_exported public import class RecordClients.FoundationToSDKCredentialsAdapter
@_exported public import struct RecordClients.SDKToFoundationCredentialsAdapter
@_exported public import struct RecordClients.UserAgentClientEngine
