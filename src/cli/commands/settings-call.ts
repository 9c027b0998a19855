import { configurationOf } from '../../app/configuration.ts';
import { openAudit } from '../../app/open-audit.ts';
import { stateFolderOf } from '../../app/state-of.ts';
import { loadSettings } from '../../config/load.ts';
import { createLog } from '../../config/log.ts';
import { serverVault } from '../../config/settings.ts';
import { isLecternError } from '../../errors.ts';
import type { AuditLog, AuditRecord } from '../../journal/audit.ts';
import { failedCall } from '../../operations/call/failed-call.ts';
import type { Operation } from '../../operations/operation.ts';
import { configGet, vaultConfigGet } from '../../operations/vault-config-get.ts';
import { configSet, vaultConfigSet } from '../../operations/vault-config-set.ts';
import { Access, OPEN_ACCESS } from '../../vault/access.ts';
import { Auditor } from '../../vault/audit.ts';
import type { Actor } from '../../vault/session.ts';
import type { Runner, VaultFlags } from './runner.ts';

/**
 * Runs an operation on the settings, for which no vault needs to exist. A change, or an attempt at one, is
 * recorded in the audit log of the vault that has the server's state.
 */
export async function settingsCall(
  operation: Operation,
  input: Record<string, unknown>,
  flags: VaultFlags,
  actor: Actor,
): ReturnType<Runner['run']> {
  const configuration = configurationOf({
    flags: { ...flags },
    environment: process.env,
    from: process.cwd(),
  })(actor);
  if (operation.name === vaultConfigGet.name)
    return await configGet(configuration, vaultConfigGet.input.parse(input));
  const records: AuditRecord[] = [];
  const before = await auditOf(flags);
  const auditor = new Auditor({
    log: { append: (record) => records.push(record), flush: async () => {} },
    journal: () => {
      throw new Error('The owner is refused nothing, so that the journal has nothing to keep.');
    },
    warn: () => {},
  });
  try {
    return await configSet(auditor.watching(configuration, actor), vaultConfigSet.input.parse(input));
  } catch (error) {
    auditor.failed(actor, new Access([OPEN_ACCESS]), failedCall(operation, input, error));
    throw error;
  } finally {
    // The change may have added the first vault.
    const audit = before ?? (await auditOf(flags));
    for (const record of records) audit?.append(record);
    await audit?.flush();
  }
}

/** The audit log of the server's vault; undefined when no vault is configured yet. */
async function auditOf(flags: VaultFlags): Promise<AuditLog | undefined> {
  try {
    const { settings } = await loadSettings(flags, process.env);
    const state = await stateFolderOf(serverVault(settings), settings.stateDir);
    return openAudit(state, createLog(settings.logLevel));
  } catch (error) {
    if (isLecternError(error)) return undefined;
    throw error;
  }
}
