// Calls what it is given, and imports nothing of it.
import { described } from "./helpers.js";

export class App {
  constructor() {
    this.plugins = [];
  }

  register(plugin) {
    this.plugins.push(plugin);
  }

  start() {
    for (const plugin of this.plugins) {
      described(plugin.activateShop());
    }
  }
}
