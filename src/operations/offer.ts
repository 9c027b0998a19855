import picomatch from 'picomatch';
import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import type { Operation, Scope } from './operation.ts';

/** Names to let in and names to keep out; an empty allow list lets everything in. */
export interface NameRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** What a caller may do. What is not offered is neither listed nor callable nor named in an error. */
export interface OfferPolicy extends NameRule {
  readonly scopes: readonly Scope[];
}

/** Tools of catalogues by their own names or patterns, with or without the catalogue's: `create_note`, `joplin/*`. */
export interface ToolSwitches {
  /** On although they are off by default. */
  readonly on: readonly string[];
  /** Off although their operations are offered. */
  readonly off: readonly string[];
}

/**
 * Operations under a policy: what one caller is offered, whichever door it comes through. REST and
 * commands go by it directly, MCP by the catalogue that is cut to it.
 */
export interface Offer {
  readonly operations: readonly Operation[];
  /** Names of the vaults that a call may choose from; undefined when there is one. */
  readonly vaults?: readonly string[] | undefined;
  readonly tools?: ToolSwitches | undefined;
}

/**
 * The operations that a policy leaves, in their order.
 *
 * @throws LecternError `invalid_input` for a name that no operation has: a typing error must not leave one switched on
 */
export function offered(operations: readonly Operation[], policy: OfferPolicy): readonly Operation[] {
  const names = operations.map(({ name }) => name);
  for (const pattern of [...policy.allow, ...policy.deny]) {
    if (names.some((name) => picomatch.isMatch(name, pattern))) continue;
    const meant = closest(pattern, names);
    throw new LecternError('invalid_input', `No tool is named ${JSON.stringify(pattern)}.`, {
      details: { tools: names },
      next: meant === undefined ? `Tools: ${names.join(', ')}.` : `Did you mean ${meant}?`,
    });
  }
  return operations.filter(
    ({ name, scope }) =>
      policy.scopes.includes(scope) &&
      (policy.allow.length === 0 || matches(name, policy.allow)) &&
      !matches(name, policy.deny),
  );
}

/** Whether a name is one of these, or fits a pattern among them. */
export function matches(name: string, patterns: readonly string[]): boolean {
  return patterns.length > 0 && picomatch.isMatch(name, [...patterns]);
}
