import { Item } from './item';
import styles from './view.module.css';
type Props<T> = { items: T[]; render: (item: T) => JSX.Element };
export const View = <T,>({ items, render }: Props<T>) => <ul className={styles.list}>{items.map(render)}</ul>;
export function Page() {
  return <View<Item> items={[]} render={Row} />;
}
function Row(item: Item) {
  return <li>{item.name()}</li>;
}
