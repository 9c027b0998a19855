import type { CommandIo, Runner, VaultFlags } from './runner.ts';

/**
 * Opens a remote runner for `--remote` or LECTERN_URL, otherwise a local one; only the needed code is loaded.
 */
async function openRunner(flags: VaultFlags): Promise<Runner> {
  const remote = flags.remote ?? (flags.vault === undefined ? process.env.LECTERN_URL : undefined);
  if (remote !== undefined && remote !== '') {
    const { remoteRunner } = await import('./remote.ts');
    return remoteRunner(remote, flags.token ?? process.env.LECTERN_TOKEN, flags.vault);
  }
  const { localRunner } = await import('./local.ts');
  return localRunner(flags);
}

export const PROCESS_IO: CommandIo = {
  openRunner,
  out: process.stdout,
  err: process.stderr,
  environment: process.env,
  exitWith: (code) => {
    process.exitCode = code;
  },
};
