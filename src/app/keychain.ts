import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A keychain may ask its owner to unlock it; nobody may be there to answer. */
const LIMIT_MS = 5_000;

/** The command of each platform's keychain that prints a secret kept under `service lectern` and an account. */
const COMMANDS: Partial<
  Record<NodeJS.Platform, (account: string) => readonly [command: string, ...args: string[]]>
> = {
  linux: (account) => ['secret-tool', 'lookup', 'service', 'lectern', 'account', account],
  darwin: (account) => ['security', 'find-generic-password', '-s', 'lectern', '-a', account, '-w'],
};

/**
 * A secret that the owner put into the keychain of the system.
 * @returns undefined when there is none, no such command, or nobody unlocks it
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
