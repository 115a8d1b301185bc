import Foundation
@testable import X

/// doc
@objc(Foo)
public final class Foo<T: P>: Base, Q where T: R {
    @Published private(set) var name: String = "a \(b ? "}" : "\(c)")"
    var computed: Int { get { 1 } set { x = newValue } }
    var obs: Int = 0 {
        didSet { update() }
    }
    let closure: (Int) -> Void = { x in print(x) }
    lazy var l: Int = {
        return 1
    }()
    static let shared = Foo()
    var opt: String?
    init?(x: Int) { self.x = x }
    convenience init() throws { }
    deinit { }
    subscript(i: Int) -> Int { return 1 }
    class func cls() {}
    override func run<T>(_ a: T, b: [String: Int] = [:]) async throws -> T? {
        let raw = #" } " "#
        let m = """
        } "
        """
        guard let x else { return nil }
        return x
    }
    static func == (a: Foo, b: Foo) -> Bool { true }
    enum E: String, CaseIterable { case a, b = "x"; case c(Int); var z: Int { 1 } }
    struct In { var a = 1 }
    typealias X = Int
}
extension Foo: Equatable where T == Int {
    func ext() {}
}
extension Foo.E { func z2() {} }
protocol P: AnyObject {
    associatedtype A
    var x: Int { get }
    func req(a: Int) -> Int
    func req2()
    init(a: Int)
}
func top(a: Int) -> Int { a }
let g = 1, h = 2
#if DEBUG
func dbg() { }
#endif
actor Act { func a() {} }
