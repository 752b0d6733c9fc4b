<?php
class Header { public static function get($key) { return $key; } public function put() {} }
function check() { return true; }
