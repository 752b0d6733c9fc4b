interface Kind {}
export = Kind;
