exports.last = () => 1;
