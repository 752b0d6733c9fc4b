<?php
require dirname(__DIR__) . '/top.php';
function help() {}
