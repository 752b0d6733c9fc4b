import tool = require('./tool');
import type Kind = require('./kind');
export import again = require('./tool');
import Inner = Space.Inner;
namespace Space { export class Inner {} }
tool();
const k: Kind = new Inner();
