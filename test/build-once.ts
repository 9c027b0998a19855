import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAll } from '../scripts/build.mjs';

/**
 * The tests run the real binary and the real worker: build them once, from the sources as they are. Nobody's own
 * configuration file has a say in them.
 */
export default async function setup(): Promise<void> {
  process.env.XDG_CONFIG_HOME = join(tmpdir(), 'lectern-without-configuration');
  await buildAll();
}
