<?php
namespace Shop\Model;

class Price { public function add($x) {} }
class Tax {}
