import Foundation

public class Store {
    public init() {}
    public func put(_ x: Int) { Helper().help() }
}
