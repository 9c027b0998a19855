import type { ServeSettings } from '../config/settings.ts';
import { listedToolsets, type Offer, offered, withoutAssistant } from '../operations/offer.ts';
import type { Scope } from '../operations/operation.ts';
import { OPERATIONS } from '../operations/registry.ts';

/**
 * What the owner's settings offer.
 *
 * @param scopes the highest scopes available at this door
 * @throws LecternError `invalid_input` for a rule that names no operation, or an unknown toolset
 */
export function offerOf(
  { vaults, tools, toolSwitches, toolsets, ai }: ServeSettings,
  scopes: readonly Scope[] = ['vault:read', 'vault:write', 'vault:admin'],
): Offer {
  const readOnly = vaults.every(({ rules }) => rules.readOnly);
  const hasAssistant = ai.provider !== 'none';
  const operations = offered(OPERATIONS, { scopes: readOnly ? ['vault:read'] : scopes, ...tools });
  return {
    ...(hasAssistant ? { operations } : withoutAssistant(operations)),
    vaults: vaults.length > 1 ? vaults.map(({ name }) => name) : undefined,
    tools: toolSwitches,
    toolsets: listedToolsets(toolsets, tools.allow, hasAssistant),
  };
}
