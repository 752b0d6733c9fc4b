function tool() {}
export = tool;
