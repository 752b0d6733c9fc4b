import { User, errors } from '.';
export interface Options {}
export default class Repo {
  find(): User { throw new errors.Missing(); }
}
