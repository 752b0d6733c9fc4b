import { Header, check } from "./names";

function parameter(Header: Map<string, string>) {
  Header.get("a");
}

function called(check: () => boolean) {
  check();
}

function local() {
  const Header = other();
  Header.get("a");
}

function arrow() {
  run((Header: any) => Header.get("a"));
}

function typed(Header: Header) {
  Header.get("a");
}

function right() {
  Header.get("a");
  check();
}
