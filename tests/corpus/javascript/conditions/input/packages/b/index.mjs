import a from 'a';
import only from 'a/only';
import dev from 'a/dev';
import order from 'a/order';
