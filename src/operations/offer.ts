import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import { matchesGlob, parseGlob } from '../notes/glob.ts';
import { needsAssistant } from './call/assistants.ts';
import {
  DEFAULT_TOOLSETS,
  type Operation,
  readingForm,
  type Scope,
  TOOLSETS,
  type Toolset,
} from './operation.ts';

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
  /** Neither listed nor run: calls are answered with `ai_unavailable`, as nobody is configured to answer. */
  readonly dormant?: readonly Operation[] | undefined;
  /** Names of the vaults that a call may choose from; undefined when there is one. */
  readonly vaults?: readonly string[] | undefined;
  readonly tools?: ToolSwitches | undefined;
  /** Sets whose tools a catalogue with sets lists at once; all others are callable too. Undefined = all sets. */
  readonly toolsets?: readonly Toolset[] | undefined;
}

/**
 * The operations that a policy leaves, in their order.
 *
 * @throws LecternError `invalid_input` for a name that no operation has: a typing error must not leave one switched on
 */
export function offered(operations: readonly Operation[], policy: OfferPolicy): readonly Operation[] {
  const names = operations.map(({ name }) => name);
  for (const pattern of [...policy.allow, ...policy.deny]) {
    if (names.some((name) => matches(name, [pattern]))) continue;
    const meant = closest(pattern, names);
    throw new LecternError('invalid_input', `No tool is named ${JSON.stringify(pattern)}.`, {
      details: { tools: names },
      next: meant === undefined ? `Tools: ${names.join(', ')}.` : `Did you mean ${meant}?`,
    });
  }
  const left = operations.filter(
    ({ name, scope }) =>
      policy.scopes.includes(scope) &&
      (policy.allow.length === 0 || matches(name, policy.allow)) &&
      !matches(name, policy.deny),
  );
  return policy.scopes.includes('vault:write') ? left : left.map(readingForm);
}

/** Operations of a policy as they are offered where there is nobody to answer those that ask a model. */
export function withoutAssistant(operations: readonly Operation[]): Pick<Offer, 'operations' | 'dormant'> {
  return {
    operations: operations.filter((operation) => !needsAssistant(operation)),
    dormant: operations.filter(needsAssistant),
  };
}

/**
 * The sets of tools that are listed at once.
 *
 * @param names as the owner gave them: `all`, or names of sets; none = the usual ones
 * @param allowed tools that a rule names: who names tools wants to see them, whatever their set
 * @param hasAssistant whether somebody is configured to answer: whoever did that wants those tools seen
 * @throws LecternError `invalid_input` for a name that no set has
 */
export function listedToolsets(
  names: readonly string[],
  allowed: readonly string[],
  hasAssistant = false,
): readonly Toolset[] | undefined {
  const sets = Object.keys(TOOLSETS);
  const unknown = names.find((name) => name !== 'all' && !sets.includes(name));
  if (unknown !== undefined) {
    const meant = closest(unknown, sets);
    throw new LecternError('invalid_input', `There is no set of tools ${JSON.stringify(unknown)}.`, {
      details: { toolsets: sets },
      next: meant === undefined ? `Sets: ${sets.join(', ')}, or all.` : `Did you mean ${meant}?`,
    });
  }
  if (names.includes('all')) return undefined;
  if (names.length > 0) return names as readonly Toolset[];
  if (allowed.length > 0) return undefined;
  return hasAssistant ? [...DEFAULT_TOOLSETS, 'ai'] : DEFAULT_TOOLSETS;
}

/** Whether a name is one of these, or fits a pattern among them. */
export function matches(name: string, patterns: readonly string[]): boolean {
  const parts = name.split('/');
  return patterns.some((pattern) => parseGlob(pattern)?.some((glob) => matchesGlob(glob, parts)));
}
