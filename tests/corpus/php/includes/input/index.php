<?php
require_once __DIR__ . '/lib/a.php';
require 'lib/b.php';
include(dirname(__FILE__) . '/lib/c.php');
$x = include "lib/d.php";
require $dynamic;
require 'nowhere.php';

help();
