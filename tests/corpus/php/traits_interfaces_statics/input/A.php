<?php
namespace N;

interface Shape { const X = 1; }
trait Logs { protected function log() {} }
class Base { public function __construct() {} public static function make(): static { return new static(); } }
final class Circle extends Base implements Shape {
    use Logs;
    public function go() {
        $this->log();
        parent::__construct();
        self::help();
        Circle::make()->go();
        \N\Base::make();
        $n = Shape::X;
    }
    private static function help() {}
}
