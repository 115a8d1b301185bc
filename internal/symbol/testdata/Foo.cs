using System;
using static System.Math;
namespace X.Y
{
    /// <summary>d</summary>
    [Serializable]
    public abstract partial class Foo<T> : Bar<T>, IFoo where T : class, new()
    {
        private const int K = 1;
        private readonly Dictionary<string, List<int>> _m = new() { ["a"] = new() };
        public string Name { get; private set; } = "x";
        public int Sum => a + b;
        public int this[int i] { get => _m[i]; set { } }
        public event EventHandler<Args> Changed;
        public Foo(int x) : base(x) { }
        ~Foo() { }
        [HttpGet("a")]
        public async Task<IActionResult> Get<TT>([FromBody] X x, string s = "}") where TT : X
        {
            var v = @"a "" } \"; var i = $"{a:N2} {{ {(b ? "x" : $"{c}")} }}";
            var raw = """ " } """;
            #region Foo's
            #endregion
            return Ok();
        }
        public static bool operator ==(Foo<T> a, Foo<T> b) => true;
        void IFoo.Bar() { }
        string Multi(int a)
            => a.ToString();
        enum E { A, B = 2 }
        delegate int D<T>(int a);
        record R(int X, string Y);
        public record struct RS(int X) { public int Z => 1; }
        int a, b = 2;
#if DEBUG
        void Dbg() {
#else
        void Dbg(int x) {
#endif
        }
        public required string Q { get; init; }
    }
    public interface IFoo { void Bar(); int P { get; } }
}
