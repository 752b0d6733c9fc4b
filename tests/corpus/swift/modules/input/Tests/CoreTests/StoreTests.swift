@testable import Core

class StoreTests { let s: Store? = nil }
