import React, { memo } from 'react';
import Button from './Button';
import * as ui from './ui';
import { Legacy } from './Legacy.jsx';

const header = <h1>Title: don't stop</h1>;

export default function App({ items }) {
  return (
    <ui.Panel title={header}>
      {items.map((item) => <Button key={item} onClick={handle}>{item}</Button>)}
      <Legacy />
      <button>plain</button>
      <Row />
    </ui.Panel>
  );
}

function handle() {}
const Row = () => <li />;
