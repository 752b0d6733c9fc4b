<?php
namespace Shop;

use Shop\Model\Item;
use Shop\Model\{Price, Tax as Levy};
use function Shop\Tools\sum;
use Psr\Log\LoggerInterface;

class Order extends Base {
    private Item $item;
    public function total(Levy $t): Price {
        $p = new Price();
        $p->add($this->item->price());
        return sum($p);
    }
}
