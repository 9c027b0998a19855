import { join } from 'node:path';
import { RotatingLog } from '../config/rotating-log.ts';
import type { AuditLog } from '../journal/audit.ts';
import { AUDIT_FILE } from './state-files.ts';

/** @param state the vault's state folder; all processes that have the vault open share its audit log */
export function openAudit(state: string, log: { error(fields: object, message: string): void }): AuditLog {
  return new RotatingLog(join(state, AUDIT_FILE), {
    onError: (error) => log.error({ err: error }, 'the audit log cannot be written'),
  });
}
