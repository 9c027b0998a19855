import type { Finding } from '../check.ts';
import type { DoctorContext, DoctorVault } from '../context.ts';
import type { VaultWalk } from '../walk.ts';

/** Runs `look` on every vault whose folder can be listed; the others are reported by another check. */
export async function eachFolder(
  context: DoctorContext,
  look: (vault: DoctorVault, walk: VaultWalk) => Promise<readonly Finding[]> | readonly Finding[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const vault of context.vaults) {
    if (vault.kind !== 'folder') continue;
    const walk = await context.walk(vault).catch(() => undefined);
    if (walk !== undefined) findings.push(...(await look(vault, walk)));
  }
  return findings;
}
