import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deleteIndex, isIndexOfThisVersion } from '../../../index/sqlite/open.ts';
import { inspectDatabase, integrityProblems } from '../../../sqlite/inspect.ts';
import { type Check, type Finding, ok, problem, said } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { checkUnused } from '../set-aside.ts';
import { mayNotRead, type StateFolder, stateFolders } from '../state-folders.ts';

/** Checks the index. A damaged one may be removed: all its data can be derived from the notes again. */
export const indexFile: Check = {
  name: 'index',
  async run(context) {
    return stateFolders(context).flatMap((folder) => look(context, folder));
  },
};

function look(context: DoctorContext, { path, of }: StateFolder): readonly Finding[] {
  const index = join(path, 'index.db');
  if (mayNotRead(index)) return [];
  if (!existsSync(index))
    return [ok('index.none', `There is no index of ${of} yet; the next start makes it.`)];
  try {
    if (existsSync(`${index}.damaged`)) return [damaged(context, index, of, 'a server found it damaged')];
    return inspectDatabase(index, (database) => {
      const [first] = integrityProblems(database, 'quick');
      if (first !== undefined) return [damaged(context, index, of, first)];
      return [
        isIndexOfThisVersion(database)
          ? ok('index.whole', `The index of ${of} is whole.`)
          : ok(
              'index.other_version',
              `The index of ${of} is of another version; the next start makes it anew.`,
            ),
      ];
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return [damaged(context, index, of, said(cause))];
  }
}

function damaged(context: DoctorContext, index: string, of: string, reason: string): Finding {
  return problem(
    'index.damaged',
    `The index of ${of} is damaged: ${reason.replace(/[.\s]+$/, '')}.`,
    'Run lectern doctor --repair; the notes are not affected.',
    {
      repair: {
        what: `delete the index of ${of}, which the next start makes anew from the notes`,
        run: async () => {
          await checkUnused(index, context);
          deleteIndex(index);
          rmSync(`${index}-journal`, { force: true });
          return `The index of ${of} is deleted; the next start makes it anew.`;
        },
      },
    },
  );
}
