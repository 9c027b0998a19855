import { type Check, counted, type Finding, ok, problem } from '../check.ts';
import type { DoctorVault } from '../context.ts';
import type { VaultWalk } from '../walk.ts';
import { eachFolder } from './each-folder.ts';

/** Finds names that are one file on some drives and two on others, and names that cannot be paths. */
export const names: Check = {
  name: 'names',
  run: (context) =>
    eachFolder(context, (vault, walk) => {
      const findings = [...twins(vault, walk), ...strange(vault, walk)];
      return findings.length > 0
        ? findings
        : [ok('names.good', `Vault ${vault.name}: every name is one everywhere.`)];
    }),
};

function twins({ name }: DoctorVault, { files, folders }: VaultWalk): readonly Finding[] {
  const paths = [...files.map(({ path }) => path), ...folders];
  const forms = groups(paths, (path) => path.normalize('NFC'));
  const cases = groups(paths, (path) => path.normalize('NFC').toLowerCase()).filter(
    (group) => new Set(group.map((path) => path.normalize('NFC'))).size > 1,
  );
  const findings: Finding[] = [];
  if (forms.length > 0)
    findings.push(
      problem(
        'names.unicode_twins',
        `Vault ${name}: ${counted(forms.length, 'name')} is there in two Unicode spellings, of which one is not served.`,
        'Rename one of each pair.',
        { names: forms.flat() },
      ),
    );
  if (cases.length > 0)
    findings.push(
      problem(
        'names.case_twins',
        `Vault ${name}: ${counted(cases.length, 'pair')} of names differ in case only; on a Mac or Windows one would take the other’s place.`,
        'Rename one of each pair before the vault is synced there.',
        { names: cases.flat() },
      ),
    );
  return findings;
}

function groups(paths: readonly string[], key: (path: string) => string): readonly (readonly string[])[] {
  const byKey = new Map<string, string[]>();
  for (const path of paths) {
    const group = byKey.get(key(path));
    if (group === undefined) byKey.set(key(path), [path]);
    else group.push(path);
  }
  return [...byKey.values()].filter((group) => group.length > 1);
}

function strange({ name }: DoctorVault, { notUtf8, special }: VaultWalk): readonly Finding[] {
  const findings: Finding[] = [];
  if (notUtf8.length > 0)
    findings.push(
      problem(
        'names.not_utf8',
        `Vault ${name}: the name of ${counted(notUtf8.length, 'file')} is not UTF-8, so that no path leads there.`,
        'Rename it on the machine it was made on.',
        { names: notUtf8 },
      ),
    );
  if (special.length > 0)
    findings.push(
      problem(
        'names.special_file',
        `Vault ${name}: ${counted(special.length, 'entry', 'entries')} is a pipe, a socket or a device, and never opened.`,
        'Take it out of the vault.',
        { names: special },
      ),
    );
  return findings;
}
