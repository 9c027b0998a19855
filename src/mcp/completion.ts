import type { CompleteResult } from '@modelcontextprotocol/server';
import { pathKey } from '../notes/path.ts';
import type { VaultSession } from '../vault/session.ts';
import { decodeSegment } from './resource-uri.ts';

/** The protocol's own limit. */
const MOST = 100;
const MODES = ['lexical', 'semantic', 'hybrid'];

export type Completer = (typed: string, vault: VaultSession) => Promise<readonly string[]>;

/** How the arguments of resource templates are completed, by argument name. */
const BY_ARGUMENT: Readonly<Record<string, { readonly tool: string; readonly complete: Completer }>> = {
  path: { tool: 'note_list', complete: completePath },
  tag: { tool: 'tag_list', complete: completeTag },
  prefix: { tool: 'tag_list', complete: completeTag },
  mode: { tool: 'vault_search', complete: (typed) => Promise.resolve(startingWith(typed, MODES)) },
};

export interface TemplateArgument {
  readonly template: string;
  readonly name: string;
  readonly typed: string;
  /** Values already chosen for other arguments. */
  readonly others: Readonly<Record<string, string>>;
}

/** The data one caller's completions come from. */
export interface CompletionSource {
  readonly offers: (tool: string) => boolean;
  /** Names of the vaults; undefined when there is only one. */
  readonly vaults: readonly string[] | undefined;
  readonly vault: (name?: string) => Promise<VaultSession>;
}

/**
 * Values for an argument of a resource template, best first; none for free text, for a tool the caller is not
 * offered, or while the vault it depends on is not chosen.
 */
export async function completeTemplateArgument(
  { template, name, typed, others }: TemplateArgument,
  { offers, vaults, vault }: CompletionSource,
): Promise<CompleteResult> {
  const isNamed = vaults !== undefined && template.startsWith('vaults://');
  if (isNamed && name === 'vault') return completion(startingWith(typed, vaults));
  const known = Object.hasOwn(BY_ARGUMENT, name) ? BY_ARGUMENT[name] : undefined;
  if (known === undefined || !offers(known.tool)) return completion([]);
  const chosen = isNamed ? vaults.find((each) => each === decodeSegment(others.vault ?? '')) : undefined;
  if (isNamed && chosen === undefined) return completion([]);
  const kind = name === 'path' ? /\/(canvas|base)\/\{/.exec(template)?.[1] : undefined;
  const complete = kind === 'canvas' || kind === 'base' ? completeKind(kind) : known.complete;
  return completion(await complete(typed, await vault(chosen)));
}

/** At most 100 values; says whether there are more. */
export function completion(values: readonly string[]): CompleteResult {
  return { completion: { values: values.slice(0, MOST), hasMore: values.length > MOST } };
}

export function startingWith(typed: string, values: readonly string[]): string[] {
  const lower = typed.toLowerCase();
  return values.filter((value) => value.toLowerCase().startsWith(lower));
}

async function completePath(typed: string, vault: VaultSession): Promise<readonly string[]> {
  return inUri(await vault.complete(decodeSegment(typed) ?? typed, MOST + 1));
}

/** Files of a kind with few files. */
function completeKind(kind: 'canvas' | 'base'): Completer {
  return async (typed, vault) => {
    const wanted = pathKey(decodeSegment(typed) ?? typed);
    const paths: string[] = [];
    for await (const batch of vault.matching({ kinds: [kind] }, 'path'))
      paths.push(...batch.map(({ path }) => path).filter((path) => pathKey(path).includes(wanted)));
    return inUri(paths);
  };
}

/**
 * Paths as written in a URI: characters that a `{+path}` template leaves unescaped but that have a meaning
 * there are escaped.
 */
function inUri(paths: readonly string[]): readonly string[] {
  return paths.map((path) => path.replace(/[%?#*]/g, encodeReserved));
}

function encodeReserved(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

async function completeTag(typed: string, vault: VaultSession): Promise<readonly string[]> {
  const { items } = await vault.tags({ limit: MOST + 1, prefix: typed.replace(/^#+/, '') });
  return items.map(({ tag }) => tag);
}
