// `import AWSCore` brings Foundation with it, as it did on iOS; published snippets rely on that.
@_exported public import Foundation
