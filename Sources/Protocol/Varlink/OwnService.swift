import StrictJSON

extension InterfaceHandler {
    /// org.varlink.service, for a server that also has these interfaces.
    static func ownService(
        _ vendor: String, _ product: String, _ version: String, _ url: String,
        _ interfaces: [InterfaceHandler]
    ) throws(InterfaceSyntaxError) -> InterfaceHandler {
        let text = String(decoding: PackageResources.org_varlink_service_varlink, as: UTF8.self)
        let names = ["org.varlink.service"] + interfaces.map(\.interface.name)
        let info = StrictJSON.object([
            ("vendor", StrictJSON.quoted(vendor)), ("product", StrictJSON.quoted(product)),
            ("version", StrictJSON.quoted(version)), ("url", StrictJSON.quoted(url)),
            ("interfaces", StrictJSON.array(names.map(StrictJSON.quoted))),
        ])
        let descriptions = ([text] + interfaces.map(\.description)).map {
            StrictJSON.object([("description", StrictJSON.quoted($0))])
        }
        return try InterfaceHandler(description: text) { call in
            if call.methodName == "GetInfo" { return .single(info) }
            let name = JSONValue(trusting: call.parameters)["interface"]?.string ?? ""
            guard let index = names.firstIndex(where: name.isSpelled) else {
                throw VarlinkError.interfaceNotFound(name)
            }
            return .single(descriptions[index])
        }
    }
}
