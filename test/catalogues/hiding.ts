import type { AccessRules } from '../../src/vault/access.ts';

/** Rules that hide these globs from everybody. */
export function hiding(deny: readonly string[]): AccessRules {
  return { readOnly: false, read: { allow: [], deny }, write: { allow: [], deny: [] } };
}
