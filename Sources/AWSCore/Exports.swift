// `import AWSCore` brings the tasks with it.
@_exported public import AWSTasks
// And Foundation, as on iOS; published snippets rely on that.
@_exported public import Foundation
@_exported public import MobileFoundation
@_exported public import RecorderConfiguration
