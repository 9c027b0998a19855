import { accessSync, constants, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isLecternError } from '../../../errors.ts';
import { realPlace } from '../../../real-place.ts';
import { checkVaultFolder } from '../../../stores/folder/check.ts';
import { type Check, type Finding, ok, problem, said } from '../check.ts';
import type { DoctorContext, DoctorVault } from '../context.ts';

/** Checks that each vault's folder exists and can be read and written. */
export const vaultPlace: Check = {
  name: 'vault',
  async run(context) {
    const { vaults } = context;
    const folders = vaults.filter(({ kind }) => kind === 'folder');
    const found = await Promise.all(folders.map((vault) => place(context, vault)));
    return found.flat();
  },
};

async function place(context: DoctorContext, vault: DoctorVault): Promise<readonly Finding[]> {
  const { name, location, rules } = vault;
  try {
    await checkVaultFolder(location);
  } catch (error) {
    const next = isLecternError(error) ? error.next : undefined;
    return [
      problem(
        'vault.unreachable',
        `Vault ${name}: ${said(error)}.`,
        next ?? 'Check the folder and its drive.',
      ),
    ];
  }
  const findings: Finding[] = [];
  if (!rules.readOnly && !mayWrite(location))
    findings.push(
      problem(
        'vault.not_writable',
        `Vault ${name}: nothing can be written to ${location}.`,
        'Give this user the right to write there, or serve it with --read-only.',
      ),
    );
  const inner = context.vaults.find((other) => other !== vault && isBelow(other.location, location));
  if (inner !== undefined && inner.kind === 'folder')
    findings.push(
      problem(
        'vault.nested',
        `Vault ${inner.name} lies inside vault ${name}: its notes are served twice, under the rules of either.`,
        `Keep one of the two, or hide the folder in ${name} with a rule of its own.`,
      ),
    );
  if (isBelow(vault.state, location))
    findings.push(
      problem(
        'vault.holds_state',
        `The state folder of vault ${name} lies inside the vault, where sync programs take it along.`,
        'Move it out: name another folder with --state, LECTERN_STATE or state in the configuration file.',
      ),
    );
  if (findings.length > 0) return findings;
  return [
    ok('vault.there', `Vault ${name} is there${rules.readOnly ? ', served for reading' : ''}: ${location}.`),
  ];
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(realPlace(folder), realPlace(path));
  return (
    way !== '' &&
    way !== '..' &&
    !way.startsWith(`..${sep}`) &&
    statSync(join(folder, way), { throwIfNoEntry: false }) !== undefined
  );
}
