import { openDatabase } from '../../../sqlite/driver.ts';
import { type Check, type Finding, ok, problem, said } from '../check.ts';

/** Packages with native code, and the effect when each is missing. */
const NATIVE = [
  { name: 'satteri', without: 'no note can be read' },
  { name: '@parcel/watcher', without: 'changes by other programs are seen late' },
] as const;

/** Checks that the database driver and the other native modules can be loaded. */
export const native: Check = {
  name: 'native',
  async run({ load, nodeVersion }) {
    const findings: Finding[] = [driver(nodeVersion)];
    for (const { name, without } of NATIVE) {
      try {
        await load(name);
        findings.push(ok('native.module', `The module ${name} loads.`));
      } catch (error) {
        findings.push(
          problem(
            'native.module_missing',
            `The module ${name} does not load, so ${without}: ${said(error)}.`,
            'Install Lectern anew on this machine, with optional packages: it was installed for another system, or in part.',
          ),
        );
      }
    }
    return findings;
  },
};

function driver(nodeVersion: string): Finding {
  try {
    const database = openDatabase(':memory:');
    try {
      const row = database.prepare('SELECT sqlite_version() AS version').get();
      database.exec("CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1)");
      return ok('native.sqlite', `SQLite ${String(row?.version)} loads, with full-text search.`);
    } finally {
      database.close();
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return problem(
      'native.sqlite_missing',
      `SQLite does not load on Node ${nodeVersion}: ${said(cause)}.`,
      'Install Lectern anew on this machine, or use Node 22.13 or newer, which brings SQLite.',
    );
  }
}
