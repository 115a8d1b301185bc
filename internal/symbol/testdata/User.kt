package a.b

import x.y.*
import z

@Target(AnnotationTarget.CLASS)
annotation class Ann

/** doc /* nested */ */
@Serializable
data class User(val id: Int, var name: String = "x") : Base(id), I {
    val full: String
        get() = "$name ${name.let { "}" }}"
    var counter = 0
        private set
    lateinit var repo: Repo
    private val lz by lazy { 3 }
    constructor(a: String) : this(1, a) { x() }
    init { require(id > 0) }
    override suspend fun <T> run(a: T): List<T> where T : Any {
        val s = """ } ${a} """
        return listOf(a)
    }
    fun expr(x: Int) = x + 1
    fun long(x: Int): Int =
        x
            .plus(1)
    companion object {
        const val MAX = 1
        fun create(): User = User(1)
    }
    inner class In { fun a() {} }
    enum class E(val x: Int) { A(1) { override fun z() {} }, B(2); fun z() {} }
}
fun interface Fi { fun call(a: Int): Int }
object Single : I { val x = 1 }
sealed interface Shape
fun List<Int>.total(): Int = sum()
val String.len: Int get() = length
typealias F = (Int) -> Unit
class Empty
interface R {
    fun a(): Int
    fun b(x: Int)
    val p: Int
}
private val top = object : I { fun x() {} }
fun <T> T.also2(f: (T) -> Unit): T { f(this); return this }
class Ctor @Inject constructor(
    private val a: A,
) : B() {
    fun m() {}
}
