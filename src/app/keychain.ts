import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Time limit, ms: a keychain may wait for its owner to unlock it. */
const LIMIT_MS = 5_000;

/** Each platform's command that prints the secret of the service `lectern` and an account. */
const COMMANDS: Partial<
  Record<NodeJS.Platform, (account: string) => readonly [command: string, ...args: string[]]>
> = {
  linux: (account) => ['secret-tool', 'lookup', 'service', 'lectern', 'account', account],
  darwin: (account) => ['security', 'find-generic-password', '-s', 'lectern', '-a', account, '-w'],
};

/**
 * Reads a secret that the owner stored in the system's keychain.
 * @returns undefined when there is no secret or no such command, or when the keychain is not unlocked in time
 */
export async function secretInKeychain(
  account: string,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  const [command, ...args] = COMMANDS[platform]?.(account) ?? [];
  if (command === undefined) return undefined;
  try {
    const { stdout } = await promisify(execFile)(command, args, { timeout: LIMIT_MS });
    return stdout.split(/\r?\n/, 1)[0]?.trim() || undefined;
  } catch {
    return undefined;
  }
}
