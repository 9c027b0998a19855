import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type * as z from 'zod';
import { CLOSE_LIMIT_MS } from '../../app/lazy-vault.ts';
import { openAssistants } from '../../app/open-assistants.ts';
import { checkPlace } from '../../app/open-store.ts';
import { openVault } from '../../app/open-vault.ts';
import { stateFolderOf } from '../../app/state-of.ts';
import { loadSettings } from '../../config/load.ts';
import { createLog } from '../../config/log.ts';
import { onlyVault, serverVault } from '../../config/settings.ts';
import { placeIdentity } from '../../config/store-place.ts';
import { needsAssistant } from '../../operations/call/assistants.ts';
import { parseInput } from '../../operations/call/input.ts';
import { needsIndex, runOperation } from '../../operations/call/run.ts';
import type { Operation } from '../../operations/operation.ts';
import { followIndex } from '../../vault/reindex.ts';
import type { Vault } from '../../vault/vault.ts';
import { progressLine } from './progress-line.ts';
import type { Runner, VaultFlags } from './runner.ts';
import { settingsCall } from './settings-call.ts';

/**
 * A runner that opens the vault in this process; a server may have it open at the same time. `run` throws
 * LecternError `invalid_input` for wrong settings or when it is unclear which vault is meant, and the errors of
 * opening the vault and of the operation.
 */
export async function localRunner(flags: VaultFlags): Promise<Runner> {
  let log: ReturnType<typeof createLog> | undefined;
  let vault: Vault | undefined;

  return {
    async run(operation, given, partial) {
      const input = parseInput(operation, given);
      const actor = { kind: 'cli', name: userName(), session: 'cli' } as const;
      if (operation.answersFrom === 'settings') return await settingsCall(operation, input, flags, actor);
      const { settings, environment } = await loadSettings(flags, process.env);
      const place = onlyVault(settings);
      log = createLog(settings.logLevel);
      await checkPlace(place);
      vault = await openVault({
        place,
        rules: place.rules,
        log,
        ...(settings.stateDir !== undefined && { stateDir: settings.stateDir }),
      });
      const session = vault.session(actor);
      const { signal } = new AbortController();
      const line = progressLine('Indexing', process.stderr);
      try {
        if (waitsForIndex(operation, input)) await followIndex(session.indexState, line.report, signal);
        const ai = needsAssistant(operation)
          ? await openAssistants(settings.ai, {
              environment,
              state: () => stateFolderOf(serverVault(settings), settings.stateDir),
            })
          : undefined;
        await ai?.follow(placeIdentity(place), session);
        return await runOperation(operation, session, input, {
          signal,
          progress: line.report,
          assistants: ai?.assistants,
          partial,
        });
      } finally {
        line.end();
      }
    },
    async close() {
      const timer = new AbortController();
      const limit = delay(CLOSE_LIMIT_MS, undefined, { signal: timer.signal }).catch(() => {});
      await Promise.race([vault?.close(), limit]);
      timer.abort();
      await log?.flush();
    },
  };
}

/** Whether to wait for a complete index, as a command must not give a partial answer. */
function waitsForIndex(operation: Operation, input: z.output<z.ZodObject>): boolean {
  const { cli, effects } = operation;
  return cli?.waitsForIndex ?? (effects !== 'reads' || needsIndex(operation, input));
}

/** The caller's name for the journal. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'command line';
  }
}
