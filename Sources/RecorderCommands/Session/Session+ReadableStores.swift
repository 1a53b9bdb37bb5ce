import RecorderStore

/// The stores of commands that only read.
extension Session {
    /// The stores of `services` that exist, to be read. --directory may also be a state directory, such as a unit's
    /// /var/lib/NAME, in which each program has a directory of its own.
    func readableStores() throws(CommandFailure) -> [(service: StreamServiceDescription, location: StoreLocation)] {
        let found = try existingStores()
        guard found.isEmpty else { return found }
        for directory in try programDirectories() {
            let inner = try stores(in: directory)
            if !inner.isEmpty { return inner }
        }
        return []
    }

    /// The same with the program's Amplify clients, whose key is their region.
    func storesWithClients() throws(CommandFailure) -> [(service: String, location: StoreLocation)] {
        let found = try existingStores().map { ($0.service.name, $0.location) }
        let all = found + clients(in: try location(of: service).directory)
        guard all.isEmpty else { return all }
        for directory in try programDirectories() {
            let inner = try stores(in: directory).map { ($0.service.name, $0.location) } + clients(in: directory)
            if !inner.isEmpty { return inner }
        }
        return []
    }

    /// The directories of programs in --directory, this one's first.
    private func programDirectories() throws(CommandFailure) -> [String] {
        guard invocation.has(.directory) else { return [] }
        let state = try location(of: service).directory
        return ([Program.name] + Files.names(in: state)).map { StoreLocation.directory(of: $0, in: state) }
    }

    private func stores(
        in directory: String
    ) throws(CommandFailure) -> [(service: StreamServiceDescription, location: StoreLocation)] {
        var found: [(StreamServiceDescription, StoreLocation)] = []
        for service in services {
            let location = StoreLocation(directory: directory, fileName: try location(of: service).fileName)
            if Files.exists(location.path) { found.append((service, location)) }
        }
        return found
    }

    private func clients(in directory: String) -> [(service: String, location: StoreLocation)] {
        let files = StoreFile.all(in: directory)
        let key = invocation.value(.key)
        return services.flatMap { service in
            files.filter { $0.service == "amplify-\(service.name)" && (key == nil || key == $0.key) }
                .map { ($0.service, $0.location) }
        }
    }
}
