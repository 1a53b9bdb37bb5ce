// What Amplify for Swift has in the module of this name.
@_exported public import struct RecordClients.ClearCacheData
@_exported public import enum RecordClients.DiscardReason
@_exported public import struct RecordClients.FlushData
@_exported public import struct RecordClients.FlushStatus
@_exported public import enum RecordClients.FlushStrategy
@_exported public import struct RecordClients.RecordClientOptions
@_exported public import struct RecordClients.RecordData
@_exported public import enum RecordClients.RecordEvent
