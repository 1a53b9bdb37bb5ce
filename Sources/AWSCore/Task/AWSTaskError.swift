/// The domain of errors made by tasks themselves: `"bolts"`, as the original's.
public let AWSTaskErrorDomain = "bolts"

/// The code, in ``AWSTaskErrorDomain``, of the error that stands for several: 80175001.
public let kAWSMultipleErrorsError = 80_175_001

/// Where an error with code ``kAWSMultipleErrorsError`` keeps the errors it stands for, an `[NSError]` in the order in
/// which they came.
public let AWSTaskMultipleErrorsUserInfoKey = "errors"
