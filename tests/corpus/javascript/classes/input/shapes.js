export class Shape {
  static #count = 0;
  static {
    Shape.reset();
  }
  #name = 'shape';
  helper = new Helper();

  static reset() {}
  get area() {
    return this.#compute();
  }
  set area(value) {
    this.helper.check(value);
  }
  #compute() {
    return 0;
  }
  async *['computed']() {}
  'quoted name'() {}
  onClick = (event) => {
    this.draw(event);
  };
  draw() {}
}

class Helper {
  check() {}
}

export class Circle extends Shape {
  constructor() {
    super();
    this.inner = new Helper();
  }
  draw() {
    super.draw();
    this.inner.check();
    this.onClick();
  }
}

const Named = class extends Circle {};
