<?php
namespace Shop;

abstract class Base {}
