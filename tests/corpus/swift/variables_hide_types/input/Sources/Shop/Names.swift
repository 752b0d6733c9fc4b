enum Header { static func get(_ key: String) -> String { return key } }
func check() -> Bool { return true }
