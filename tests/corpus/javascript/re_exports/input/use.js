import { a, renamed, ns, Default, deep } from './index.js';
a();
renamed();
ns.b();
new Default();
deep();
