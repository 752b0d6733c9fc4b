'use strict';
// a comment

function decide(a, b = 1, ...rest) {
  if (a && b || rest) return 1;
  else if (a ?? b) {
    for (const x of rest) {
      while (x) {
        a ||= x ? 1 : 2; // counted as deep
        b();
      }
    }
  } else {
    do { b--; } while (b);
  }
  switch (a) {
    case 1:
      b();
      break;
    case 2: {
      return 2;
    }
    default:
      return 3;
  }
  try {
    a?.b();
  } catch (error) {
    /* nothing */
  } finally {
    a();
  }
}

const chain = (list) => list
  .filter((x) => x && x.y)
  .map(function (x) { return x; });
