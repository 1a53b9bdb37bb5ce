//
//  Tour.swift
//  MuseumGuide
//

// swift-format-ignore-file

import Foundation

struct Event {
    let visitor: String
    let name: String
    let attributes: [String: Any]

    var json: Data? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ssZ"
        let fields: [String: Any] = ["visitor": visitor, "event": name, "time": formatter.string(from: Date()), "attributes": attributes]
        return try? JSONSerialization.data(withJSONObject: fields, options: [])
    }
}

/// One visitor's way through the museum.
class Tour: NSObject {

    private let visitor: String
    private let rooms = 1...30
    private var observer: NSObjectProtocol?

    init(visitor: String) {
        self.visitor = visitor
        super.init()
        observer = NotificationCenter.default.addObserver(forName: .eventsSent, object: nil, queue: nil) { [unowned self] _ in
            self.finish()
        }
    }

    func start() {
        for room in rooms {
            log("room_entered", attributes: ["room": room, "audio": room % 2 == 0])
        }
    }

    private func finish() {
        guard let observer = observer else {
            return
        }
        NotificationCenter.default.removeObserver(observer)
        self.observer = nil
        log("tour_finished", attributes: ["rooms": rooms.count])
    }

    private func log(_ name: String, attributes: [String: Any]) {
        EventLogger.shared.log(Event(visitor: visitor, name: name, attributes: attributes))
    }
}
