export default {
  run() {},
  stop: function () {},
};
