import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  Resource,
} from '@modelcontextprotocol/server';
import { isLecternError, LecternError } from '../errors.ts';
import { mimeTypeOf } from '../notes/mime.ts';
import { baseName } from '../notes/path.ts';
import type { VaultSession } from '../vault/session.ts';
import { fileUri, queryUri } from './resource-uri.ts';

/** Files per page: about 20 KB of answer. */
const PAGE = 100;
const KINDS = ['note', 'canvas', 'base', 'attachment'] as const;
const JSON_TYPE = 'application/json';

type Offers = (tool: string) => boolean;

/** The vaults of one caller, from which a list is made. */
export interface ListedVaults {
  /** Undefined when there is only one. */
  readonly names: readonly string[] | undefined;
  readonly open: (name: string | undefined) => Promise<VaultSession>;
}

/** Key under which a list says that the index is incomplete. */
export const NOTICE_META = 'lectern/notice';
/** Key under which a list names the vaults missing from it, and the reasons. */
const UNAVAILABLE_META = 'lectern/unavailable';

/**
 * One page of all resources, vault by vault: first the projections of a vault, then its files in path order.
 * A vault that cannot be opened is left out and named in the page.
 *
 * @throws LecternError of the last vault when none can be listed
 */
export async function listResources(
  { names, open }: ListedVaults,
  offers: Offers,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  if (names === undefined) return await listVault(await open(undefined), offers, cursor);
  const place = placeIn(names, cursor);
  const unavailable: Record<string, unknown>[] = [];
  for (let at = place.at; at < names.length; at++) {
    const name = names[at] ?? '';
    try {
      const vault = await open(name);
      const inner = at === place.at ? place.cursor : undefined;
      const { resources, nextCursor, _meta } = await listVault(vault, offers, inner, {
        name,
        uriName: at === 0 ? undefined : name,
      });
      const next = nextCursor ?? (at + 1 < names.length ? '' : undefined);
      return {
        resources,
        ...(next !== undefined && {
          nextCursor: `${nextCursor === undefined ? names[at + 1] : name}.${next}`,
        }),
        ...((_meta !== undefined || unavailable.length > 0) && {
          _meta: { ..._meta, ...(unavailable.length > 0 && { [UNAVAILABLE_META]: unavailable }) },
        }),
      };
    } catch (error) {
      if (!isLecternError(error) || error.code !== 'unavailable') throw error;
      if (at + 1 === names.length && unavailable.length === at) throw error;
      unavailable.push({ vault: name, message: error.message, next: error.next });
    }
  }
  return { resources: [], _meta: { [UNAVAILABLE_META]: unavailable } };
}

/** A cursor is a vault's name, a dot, and that vault's own cursor. */
function placeIn(
  names: readonly string[],
  cursor: string | undefined,
): { readonly at: number; readonly cursor: string | undefined } {
  if (cursor === undefined) return { at: 0, cursor: undefined };
  const dot = cursor.lastIndexOf('.');
  const at = names.indexOf(cursor.slice(0, Math.max(dot, 0)));
  if (at !== -1) return { at, cursor: cursor.slice(dot + 1) || undefined };
  throw new LecternError('invalid_input', 'The cursor is not one that this list gave.', {
    next: 'Start again without a cursor.',
  });
}

/** @param among how the vault is distinguished from the others */
async function listVault(
  vault: VaultSession,
  offers: Offers,
  cursor: string | undefined,
  among?: { readonly name: string; readonly uriName: string | undefined },
): Promise<ListResourcesResult> {
  const named = (name: string) => (among === undefined ? name : `${among.name}/${name}`);
  const fixed = cursor === undefined ? FIXED.filter(({ tool }) => offers(tool)) : [];
  const resources: Resource[] = fixed.map(({ what, resource }) => ({
    uri: queryUri(what, {}, among?.uriName),
    name: named(what),
    ...resource,
  }));
  if (!offers('note_list') || !offers('note_read')) return { resources };
  const notice = vault.staleness();
  const page = await vault.list(
    { kinds: KINDS },
    'path',
    cursor === undefined ? { limit: PAGE } : { limit: PAGE, cursor },
  );
  for (const file of page.items) {
    resources.push({
      uri: fileUri(file.path, among?.uriName),
      name: named(file.path),
      ...(file.kind === 'note' && file.title !== baseName(file.path) && { title: file.title }),
      mimeType: mimeTypeOf(file.path),
      size: file.size,
      annotations: { lastModified: new Date(file.mtimeMs).toISOString() },
    });
  }
  return {
    resources,
    ...(page.nextCursor !== null && { nextCursor: page.nextCursor }),
    ...(notice !== undefined && { _meta: { [NOTICE_META]: notice } }),
  };
}

const FIXED: readonly {
  readonly tool: string;
  readonly what: string;
  readonly resource: Omit<Resource, 'uri' | 'name'>;
}[] = [
  {
    tool: 'tag_list',
    what: 'tags',
    resource: {
      title: 'Tags',
      description: 'The tags of the vault with the number of notes that carry them.',
      mimeType: JSON_TYPE,
    },
  },
  {
    tool: 'link_forward',
    what: 'graph',
    resource: {
      title: 'Link graph',
      description: 'Which note links to which, 200 notes a page; next is the URI of the next page.',
      mimeType: JSON_TYPE,
    },
  },
];

const TEMPLATES = [
  {
    tool: 'note_read',
    uriTemplate: 'vault://{+path}',
    name: 'file',
    title: 'Note or attachment',
    description:
      'A note as it is stored, front matter included, or the bytes of an attachment. In path write % ? # as %25 %3F %23. Up to 1 MiB whole; more in parts with ?offset=&length= (characters of a text, else bytes). Subscribe to vault://Folder/** for everything below a folder.',
  },
  {
    tool: 'vault_search',
    uriTemplate: 'vault://search{?q,mode,path_glob,tag,limit,cursor}',
    name: 'search',
    title: 'Live search',
    description:
      'What vault_search answers for q (mode: lexical, semantic, hybrid). Subscribe to hear when the results change.',
    mimeType: JSON_TYPE,
  },
  {
    tool: 'link_backlinks',
    uriTemplate: 'vault://graph/backlinks/{+path}',
    name: 'backlinks',
    title: 'Links to a note',
    description: 'Every place that links to the file.',
    mimeType: JSON_TYPE,
  },
  {
    tool: 'link_forward',
    uriTemplate: 'vault://graph/forward/{+path}',
    name: 'forward',
    title: 'Links from a note',
    description: 'Every link the note makes, with the file it leads to.',
    mimeType: JSON_TYPE,
  },
  {
    tool: 'link_forward',
    uriTemplate: 'vault://graph{?limit,cursor}',
    name: 'graph-page',
    title: 'Link graph, by pages',
    mimeType: JSON_TYPE,
  },
  {
    tool: 'tag_list',
    uriTemplate: 'vault://tags{?prefix,limit,cursor}',
    name: 'tags-below',
    title: 'Tags that begin so',
    mimeType: JSON_TYPE,
  },
  {
    tool: 'canvas_read',
    uriTemplate: 'vault://canvas/{+path}',
    name: 'canvas',
    title: 'Canvas',
    description:
      'What canvas_read answers, with its inputs as ?group=…&limit=…: nodes in reading order, groups, edges with the titles of their ends.',
    mimeType: JSON_TYPE,
  },
  {
    tool: 'base_query',
    uriTemplate: 'vault://base/{+path}',
    name: 'base',
    title: 'Answer of a base',
    description:
      'What base_query answers for a .base file, or a note with a base in it, with its inputs as ?view=…&limit=…. Subscribe to hear when the answer changes.',
    mimeType: JSON_TYPE,
  },
  {
    tool: 'ai_summarize',
    uriTemplate: 'ai://summary/{scope}',
    name: 'summary',
    title: 'Summary of a scope',
    description:
      'What ai_summarize answers for a scope, percent-encoded as JSON or as key=value&…: ai://summary/path_glob%3DProjects%2F**. Subscribe to hear when a note of the scope changes.',
    mimeType: JSON_TYPE,
  },
  {
    tool: 'ai_toc',
    uriTemplate: 'ai://moc/{scope}',
    name: 'moc',
    title: 'Map of a scope',
    description:
      'What ai_toc answers for a scope, written as for ai://summary/. Subscribe to hear when a note of the scope changes.',
    mimeType: JSON_TYPE,
  },
] as const;

/** @param vaults names of the vaults; undefined when there is only one */
export function listTemplates(offers: Offers, vaults?: readonly string[]): ListResourceTemplatesResult {
  const offered = TEMPLATES.filter(({ tool }) => offers(tool)).map(({ tool: _tool, ...template }) => ({
    ...template,
  }));
  if (vaults === undefined) return { resourceTemplates: offered };
  const [first = ''] = vaults;
  const named = offered
    .filter(({ uriTemplate }) => uriTemplate.startsWith('vault:'))
    .map((template) => ({
      ...template,
      uriTemplate: template.uriTemplate.replace(/^vault:\/\//, 'vaults://{vault}/'),
      name: `vault-${template.name}`,
      title: `${template.title}, of any vault`,
    }));
  return {
    resourceTemplates: [
      ...offered.map((each) => ({ ...each, title: `${each.title}, of ${first}` })),
      ...named,
    ],
  };
}
