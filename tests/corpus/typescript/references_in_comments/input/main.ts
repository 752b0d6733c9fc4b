/// <reference path="types/global.d.ts" />
/// <reference types="node" />
// <reference path="other.ts" />
let tool: Tool;
