import { App } from "./framework.js";

export class Shop {
  activateShop() {
    return "open";
  }
}

const app = new App();
app.register(new Shop());
app.start();
