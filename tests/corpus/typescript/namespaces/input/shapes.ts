namespace Shapes {
  export function draw() {
    helper();
  }
  function helper() {}
  export namespace Round {
    export class Circle {}
  }
}
namespace A.B.C {
  export class Deep {}
}
Shapes.draw();
new Shapes.Round.Circle();
let circle: Shapes.Round.Circle;
