import { Component } from 'react';
export class Legacy extends Component {
  render() {
    return this.text();
  }
  text() {}
}
