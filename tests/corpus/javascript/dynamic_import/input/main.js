const now = await import('./now.js');
const page = () => import(/* webpackChunkName: "page" */ './page.js');
const text = import(`./text.js`);
const other = import(`./${name}.js`);
const last = import('./' + name);
now.start();
async function load() {
  const { render } = await import('./page.js');
  render();
}
