import { c } from 'c-lib/more';
