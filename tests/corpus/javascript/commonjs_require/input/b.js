function b() {}
function c() {}
module.exports = { b, c };
