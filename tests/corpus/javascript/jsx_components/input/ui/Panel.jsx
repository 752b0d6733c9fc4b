export function Panel() {
  return <div />;
}
