import type { VaultPlace } from '../config/settings.ts';
import { isLecternError, LecternError } from '../errors.ts';
import { checkPlace } from './open-store.ts';

/**
 * Checks the vaults of a server.
 *
 * @returns the error of each vault that cannot be opened; with several vaults it names the vault
 */
export async function missingVaults(vaults: readonly VaultPlace[]): Promise<readonly unknown[]> {
  const problems = await Promise.all(
    vaults.map((vault) =>
      checkPlace(vault).then(
        () => [],
        (error: unknown) => [vaults.length === 1 ? error : inVault(vault.name, error)],
      ),
    ),
  );
  return problems.flat();
}

/** The same error, naming one of several vaults. */
export function inVault(name: string, error: unknown): unknown {
  if (!isLecternError(error)) return error;
  const { code, message, details, next } = error;
  return new LecternError(code, `Vault ${name}: ${message}`, {
    cause: error,
    details: { ...details, vault: name },
    ...(next !== undefined && { next }),
  });
}

/** Prints an error as one line on standard error. */
export function sayProblem(error: unknown): void {
  const text = isLecternError(error) ? `${error.message} ${error.next ?? ''}` : String(error);
  process.stderr.write(`lectern: ${text.trim()}\n`);
}
