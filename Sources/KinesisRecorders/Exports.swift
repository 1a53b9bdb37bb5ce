// The types of the recorders' interface: tasks, credentials, regions, errors.
@_exported public import AWSTasks
@_exported public import RecorderConfiguration
