<?php
namespace Shop\Model;

class Item { public function price(): Price { return new Price(); } }
