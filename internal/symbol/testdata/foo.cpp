#include <vector>
#ifndef FOO_H
#define FOO_H
#define MAX(a, b) \
  ((a) > (b) ? (a) : (b))
#define N 10
namespace a::b {
class Fwd;
template <typename T, int K = 3>
class EXPORT_API Foo final : public Bar<T>, private Baz {
 public:
  Foo() : x_(1), y_{2} { init(); }
  explicit Foo(int x);
  ~Foo() override = default;
  virtual void pure(int) const = 0;
  int get() const noexcept { return x_; }
  bool operator==(const Foo& o) const { return true; }
  void operator()(int a) {}
  explicit operator bool() const { return 1; }
  std::vector<std::pair<int, int>> v_;
  static constexpr int kMax = 1'000;
  struct Inner { int a; } inner_;
  Q_OBJECT
  enum class E : int { A, B };
 private:
  int x_ = 1, *p_;
  std::function<void(int)> cb_;
};
template <>
void Foo<int>::pure(int x) const {
  auto s = R"x( } )" )x";
  char c = '}';
}
Foo::Foo(int x) : Bar<T>(x), y_(x) {}
Foo::~Foo() {}
static inline const char *name(void) { return "x"; }
auto trail(int a) -> decltype(a) { return a; }
}  // namespace
extern "C" {
int cfun(int a);
}
#ifdef A
int cond(int a) {
#else
int cond(void) {
#endif
  return 1;
}
typedef struct node { int a; } node_t;
typedef int (*cb)(int, void *);
using Vec = std::vector<int>;
struct point { int x, y; };
enum { X1, Y1 };
static struct point origin = { 0, 0 };
struct point make(int x) { return p; }
int arr[] = { 1, 2 };
unsigned long long big;
TEST(Foo, Bar) { EXPECT(1); }
int main(int argc, char **argv)
{
  if (x) { }
  return 0;
}
int __attribute__((noinline)) attr(void) { return 1; }
struct S s = { .a = 1 };
#endif
