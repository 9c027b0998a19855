import { VERSION } from '../../../config/version.ts';
import { type Check, ok, problem } from '../check.ts';

/** Oldest major version of Node, as in package.json. */
const OLDEST = 20;

/** Checks the version of Node, and reports that of Lectern. */
export const runtime: Check = {
  name: 'runtime',
  run({ nodeVersion, platform }) {
    const major = Number(nodeVersion.split('.')[0]);
    if (major < OLDEST)
      return [
        problem(
          'runtime.node_old',
          `Node ${nodeVersion} is too old: Lectern needs ${OLDEST} or newer.`,
          'Install a current Node, and let the configuration of your clients start that one.',
        ),
      ];
    return [ok('runtime.node', `Lectern ${VERSION} on Node ${nodeVersion}, ${platform} ${process.arch}.`)];
  },
};
