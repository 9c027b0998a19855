import picomatch from 'picomatch';
import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import type { Scope } from '../operations/operation.ts';
import type { Catalogue } from './catalogue.ts';

/** Which tools a caller is offered. What is not offered is neither listed nor callable nor named in an error. */
export interface ToolPolicy {
  readonly scopes: readonly Scope[];
  /** Tool names or patterns (`link_*`); empty = all. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/**
 * @throws LecternError `invalid_input` for a name that no tool has: a typing error must not leave a tool switched on
 */
export function offeredTools(catalogue: Catalogue, policy: ToolPolicy): Catalogue {
  const names = catalogue.tools.map((tool) => tool.name);
  for (const pattern of [...policy.allow, ...policy.deny]) {
    if (names.some((name) => picomatch.isMatch(name, pattern))) continue;
    const meant = closest(pattern, names);
    throw new LecternError('invalid_input', `No tool is named ${JSON.stringify(pattern)}.`, {
      details: { tools: names },
      next: meant === undefined ? `Tools: ${names.join(', ')}.` : `Did you mean ${meant}?`,
    });
  }
  const tools = catalogue.tools.filter(
    ({ name, scope }) =>
      policy.scopes.includes(scope) &&
      (policy.allow.length === 0 || picomatch.isMatch(name, [...policy.allow])) &&
      !(policy.deny.length > 0 && picomatch.isMatch(name, [...policy.deny])),
  );
  return { ...catalogue, tools };
}
