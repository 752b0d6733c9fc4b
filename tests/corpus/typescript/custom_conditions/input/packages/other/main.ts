import { b } from 'core';
