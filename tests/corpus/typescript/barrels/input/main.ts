import { Repo, User, errors, type Shape } from './index';
import type { Options } from '.';
const user: User = new Repo().find();
const options: Options & Shape = {};
new errors.Missing();
