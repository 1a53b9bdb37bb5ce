// README's first program.

import Foundation
import KinesisRecorders

do {
    let recorder = try AWSKinesisRecorder()
    let readings = (1...100).map { Data("reading \($0)".utf8) }
    try await recorder.save(contentsOf: readings, to: "demo")  // now they are on disk
    try await recorder.submit()
    print("delivered; \(recorder.diskBytesUsed) bytes left")
} catch {
    print(error.localizedDescription)  // what is on disk stays there for the next submit
    exit(1)
}
