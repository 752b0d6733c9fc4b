import type { A } from 'core';
import { b } from 'core';
