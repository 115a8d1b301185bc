<html> it's { <?php
declare(strict_types=1);
namespace App\Http;
use Foo\Bar;
use function x\y;
// doc
# more
#[Route('/x')]
final class A extends B implements C, D
{
    use SomeTrait;
    const X = 1;
    public const int Y = 2;
    private ?string $name = 'a';
    public static array $m = ['a' => ['}']];
    public function __construct(private readonly int $a, public $b = []) { }
    abstract protected function abs(): void;
    public static function &make(string $s): ?self
    {
        $x = "a {$b['c']} }";
        $h = <<<EOT
        } don't
        EOT;
        $n = <<<'X'
}
X;
        $f = function () use ($x) { return 1; };
        return new class { function no() {} };
    }
}
interface I { public function m(); }
trait T { function t() {} }
enum Suit: string { case A = 'a'; const Z = self::A; public function label(): string { return 'x'; } }
function top(int $a): int { return $a; }
const TOP = 1;
$var = function() { };
if (!function_exists('cond')) { function cond() { return 1; } }
require_once 'x.php';
?>
<b>don't</b>
<?php function last1() { } ?>
