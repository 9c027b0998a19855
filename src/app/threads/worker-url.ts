/** Where a thread's code is: beside the bundle when built; from the sources the built one is used too, as threads run JavaScript. */
export function workerUrl(name: string): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL(`../../../dist/${name}.js`, here);
  return new URL(here.includes('/chunks/') ? `../${name}.js` : `./${name}.js`, here);
}
