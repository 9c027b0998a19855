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

/** Allowed and denied names; an empty allow list allows everything. */
export interface NameRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** What a caller may do. Operations that are not offered are neither listed nor callable nor named in errors. */
export interface OfferPolicy extends NameRule {
  readonly scopes: readonly Scope[];
}

/** Tools of catalogues by their own names or patterns, with or without the catalogue's: `create_note`, `joplin/*`. */
export interface ToolSwitches {
  /** Enabled although off by default. */
  readonly on: readonly string[];
  /** Disabled although their operations are offered. */
  readonly off: readonly string[];
}

/**
 * Operations under a policy: what one caller is offered at every door. REST and commands use it directly, MCP
 * through the catalogue reduced to it.
 */
export interface Offer {
  readonly operations: readonly Operation[];
  /** Neither listed nor run: calls are answered with `ai_unavailable`, because no model is configured. */
  readonly dormant?: readonly Operation[] | undefined;
  /** Names of the vaults a call may choose from; undefined when there is only one. */
  readonly vaults?: readonly string[] | undefined;
  readonly tools?: ToolSwitches | undefined;
  /** Toolsets a catalogue with sets lists initially; all other tools are callable too. Undefined = all sets. */
  readonly toolsets?: readonly Toolset[] | undefined;
}

/**
 * The operations a policy leaves, in order.
 *
 * @throws LecternError `invalid_input` for an unknown name: a typing error must not leave an operation
 *   enabled
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

/** The operations of a policy where no model is configured for those that ask one. */
export function withoutAssistant(operations: readonly Operation[]): Pick<Offer, 'operations' | 'dormant'> {
  return {
    operations: operations.filter((operation) => !needsAssistant(operation)),
    dormant: operations.filter(needsAssistant),
  };
}

/**
 * The toolsets listed initially.
 *
 * @param names the owner's choice: `all`, or names of sets; none = the default ones
 * @param allowed tools named by a rule: they are listed, whatever their set
 * @param hasAssistant whether a model is configured: its tools are then listed
 * @throws LecternError `invalid_input` for an unknown set
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
