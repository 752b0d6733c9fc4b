import { run, stop, go, Tool } from './tools.js';
hoisted();
function hoisted() {
  run();
}
function hides(run, { stop }, [go] = []) {
  run();
  stop();
  go();
}
function local() {
  const run = 1;
  let Tool;
  run();
  new Tool();
}
function inner() {
  function run() {}
  run();
  stop();
}
const arrow = (go) => go();
function caught() {
  try {
    go();
  } catch (stop) {
    stop();
  }
}
new Tool();
