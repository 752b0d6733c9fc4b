<?php
namespace Acme\Tools;

class Hammer { }
