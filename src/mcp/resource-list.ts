import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  Resource,
} from '@modelcontextprotocol/server';
import { baseName } from '../notes/path.ts';
import type { VaultSession } from '../vault/session.ts';
import { mimeTypeOf } from './mime.ts';
import { fileUri } from './resource-uri.ts';

/** Files per page: about 20 KB of answer. */
const PAGE = 100;
const KINDS = ['note', 'canvas', 'base', 'attachment'] as const;
const JSON_TYPE = 'application/json';

type Offers = (tool: string) => boolean;

/** One page of the vault as resources: the projections first, then every file in path order. */
export async function listResources(
  vault: VaultSession,
  offers: Offers,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const fixed = cursor === undefined ? FIXED.filter(({ tool }) => offers(tool)) : [];
  const resources: Resource[] = fixed.map(({ resource }) => resource);
  if (!offers('note_list') || !offers('note_read')) return { resources };
  const page = await vault.list(
    { kinds: KINDS },
    'path',
    cursor === undefined ? { limit: PAGE } : { limit: PAGE, cursor },
  );
  for (const file of page.items) {
    resources.push({
      uri: fileUri(file.path),
      name: file.path,
      ...(file.kind === 'note' && file.title !== baseName(file.path) && { title: file.title }),
      mimeType: mimeTypeOf(file.path),
      size: file.size,
      annotations: { lastModified: new Date(file.mtimeMs).toISOString() },
    });
  }
  return { resources, ...(page.nextCursor !== null && { nextCursor: page.nextCursor }) };
}

const FIXED: readonly { readonly tool: string; readonly resource: Resource }[] = [
  {
    tool: 'tag_list',
    resource: {
      uri: 'vault://tags',
      name: 'tags',
      title: 'Tags',
      description: 'The tags of the vault with the number of notes that carry them.',
      mimeType: JSON_TYPE,
    },
  },
  {
    tool: 'link_forward',
    resource: {
      uri: 'vault://graph',
      name: 'graph',
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
] as const;

export function listTemplates(offers: Offers): ListResourceTemplatesResult {
  return {
    resourceTemplates: TEMPLATES.filter(({ tool }) => offers(tool)).map(({ tool: _tool, ...template }) => ({
      ...template,
    })),
  };
}
