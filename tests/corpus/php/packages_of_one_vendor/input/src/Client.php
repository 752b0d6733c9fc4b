<?php
namespace Acme;

use Acme\Psr7\Uri;
use Acme\Missing;
use Acme\Tools\Hammer;

class Client { }
