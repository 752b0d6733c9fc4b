exports.work = function () {};
