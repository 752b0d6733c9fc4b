import './side.mjs';
import plain from './default.mjs';
import { one, two as second } from "./named.mjs";
import * as everything from './named.mjs';
import both, * as rest from './default.mjs';
import mixed, { extra } from './default.mjs';
import {} from './side.mjs';
import { a
  /* from './comment.mjs' */,
  b } from './named.mjs';
plain();
one();
second();
everything.one();
rest.extra();
both();
mixed();
extra();
a();
b();
