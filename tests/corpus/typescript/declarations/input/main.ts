import { run } from './impl';
import type { Options } from './impl';
import { only } from './only';
import alone from './alone.js';
run();
