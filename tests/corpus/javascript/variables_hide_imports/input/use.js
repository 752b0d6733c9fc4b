import { Header, check } from "./names.js";

function parameter(Header) {
  Header.get("a");
}

function local() {
  const Header = other();
  Header.get("a");
}

function loop(all) {
  for (const Header of all) {
    Header.get("a");
  }
}

function pattern({ Header, check }) {
  Header.get("a");
  check();
}

function right() {
  Header.get("a");
  check();
}
