package a.b;
import java.util.*;

/** doc */
@Entity(name = "x")
@Table
public final class A<T extends Comparable<T>> extends B implements C, D {
    private static final Map<String, List<int[]>> MAP = new HashMap<>() {{ put("a", null); }};
    int a, b = 2;
    static { init(); }
    public A(int x) { this.x = x; }
    @Override
    public <R> R map(Function<? super T, ? extends R> f) throws IOException, Foo {
        String s = """
            } " {
            """;
        char c = '"';
        class Local { void no() {} }
        return f.apply(x);
    }
    abstract void abs(int a);
    enum E implements I {
        ONE("a") { void x() {} }, TWO;
        private final String s = "";
        E(String s) { }
        public String get() { return s; }
    }
    public @interface Ann { String value() default "x"; int[] n() default {}; }
    record P(int x, int y) { P { check(); } static P of() { return null; } }
    interface In { default void d() {} int X = 1; }
    @Nullable public String nul() { return null; }
    int[] arr()[] { return null; }
}
