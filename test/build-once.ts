import { buildAll } from '../scripts/build.mjs';

/** The tests run the real binary and the real worker: build them once, from the sources as they are. */
export default async function setup(): Promise<void> {
  await buildAll();
}
