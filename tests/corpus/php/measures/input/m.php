<?php
# note
function f($a, ?int $b = null) {
    if ($a && $b or $a) {
        foreach ($a as $k => $v) {
            while (true) {
                echo $v;
            }
        }
    } elseif ($b) {
        return $a ? 1 : 2;
    }
    return match($b) { 1 => 2, default => $a ?? 3 };
}
