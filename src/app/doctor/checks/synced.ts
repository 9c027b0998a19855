import { copyName } from '../../../formats/conflict-copy.ts';
import { type Check, counted, type Finding, ok, problem } from '../check.ts';
import type { DoctorVault } from '../context.ts';
import type { VaultWalk } from '../walk.ts';
import { eachFolder } from './each-folder.ts';

/** Finds traces of sync programs in a vault: files that are not downloaded, and conflict copies. */
export const synced: Check = {
  name: 'synced',
  run: (context) =>
    eachFolder(context, (vault, walk) => {
      const findings = [...away(vault, walk), ...copies(vault, walk)];
      return findings.length > 0
        ? findings
        : [
            ok(
              'synced.good',
              `Vault ${vault.name}: every file is on this computer, and none is a conflict copy.`,
            ),
          ];
    }),
};

function away({ name }: DoctorVault, { placeholders }: VaultWalk): readonly Finding[] {
  if (placeholders.length === 0) return [];
  return [
    problem(
      'synced.not_downloaded',
      `Vault ${name}: the text of ${counted(placeholders.length, 'file')} is in a cloud drive and not on this computer.`,
      'Keep the folder downloaded (“Always keep on this device”, “Keep Downloaded”).',
      { names: placeholders },
    ),
  ];
}

/** Only names that are certainly those of conflict copies: people use similar names too. */
function copies({ name }: DoctorVault, { files }: VaultWalk): readonly Finding[] {
  const found = files.map(({ path }) => path).filter((path) => copyName(path)?.isCertain === true);
  if (found.length === 0) return [];
  return [
    problem(
      'synced.conflict_copy',
      `Vault ${name}: ${counted(found.length, 'file')} is a copy that a sync program made of a note changed in two places.`,
      'Compare each with its note, take over what is missing, and delete the copy.',
      { names: found },
    ),
  ];
}
