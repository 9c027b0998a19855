/**
 * URL of a thread's code: beside the running bundle, or in `dist` when run from the sources, since threads
 * need JavaScript.
 */
export function workerUrl(name: string): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL(`../../../dist/${name}.js`, here);
  return new URL(here.includes('/chunks/') ? `../${name}.js` : `./${name}.js`, here);
}
