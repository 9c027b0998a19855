import type { PromptArgument, PromptDefinition } from '../catalogues/prompt.ts';
import { isLecternError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { propertyByName } from '../notes/frontmatter/frontmatter.ts';
import { isNotePath, stem } from '../notes/path.ts';
import type { OpenedNote, VaultSession } from '../vault/session.ts';

const MAX_PROMPTS = 200;

/** @param folder folder of the owner's own prompts */
export function isPromptPath(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`) && isNotePath(path);
}

/**
 * The owner's prompts, by path. Front matter: `title`, `description`, `arguments` (names, or maps of
 * `name`, `description`, `required`) and `tools`; `{{name}}` in the text stands for an argument.
 */
export async function promptNotes(vault: VaultSession): Promise<readonly PromptDefinition[]> {
  const { prompts: folder } = vault.places();
  const page = await vault.list({ pathGlob: `${globFor(folder)}/**`, kinds: ['note'] }, 'path', {
    limit: MAX_PROMPTS,
  });
  const prompts = new Map<string, PromptDefinition>();
  for (const { path } of page.items.filter((note) => isPromptPath(note.path, folder))) {
    const prompt = await promptNote(vault, path, folder);
    if (prompt !== undefined && !prompts.has(prompt.name)) prompts.set(prompt.name, prompt);
  }
  return [...prompts.values()];
}

function globFor(folder: string): string {
  return folder.replace(/[*?[\]!]/g, '\\$&');
}

/** undefined when the note is gone, or its name has no character a prompt name allows. */
async function promptNote(
  vault: VaultSession,
  path: string,
  folder: string,
): Promise<PromptDefinition | undefined> {
  const name = promptName(path.slice(folder.length + 1).replace(/\.md$/i, ''));
  if (name === '') return undefined;
  let note: OpenedNote;
  try {
    note = await vault.open(path);
  } catch (error) {
    if (isLecternError(error)) return undefined;
    throw error;
  }
  const { parsed } = note;
  const property = (key: string): unknown => propertyByName(parsed.frontmatter, key)?.value;
  const body = parsed.text.slice(parsed.bodyStart).trim();
  const tools = property('tools');
  return {
    name,
    title: textOf(property('title')) ?? stem(path),
    description: textOf(property('description')) ?? `The prompt in ${path}.`,
    arguments: argumentsOf(property('arguments')),
    tools: Array.isArray(tools) ? tools.filter((tool) => typeof tool === 'string') : [],
    needs: ['note_read'],
    fill: async (_vault, given) => ({ text: fillIn(body, given) }),
  };
}

/** `Meetings/Follow up` → `meetings_follow_up` */
export function promptName(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64);
}

/** Arguments that were not given become empty; other braces stay. */
function fillIn(body: string, given: Readonly<Record<string, string>>): string {
  return body.replace(/\{\{\s{0,9}([\p{L}\p{N}_-]{1,64})\s{0,9}\}\}/gu, (_whole, name: string) =>
    Object.hasOwn(given, name) ? (given[name] ?? '') : '',
  );
}

function argumentsOf(value: unknown): PromptArgument[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown): PromptArgument[] => {
    if (typeof entry === 'string' && entry.trim() !== '') return [{ name: entry.trim() }];
    if (!isRecord(entry)) return [];
    const name = textOf(entry.name);
    if (name === undefined) return [];
    const description = textOf(entry.description);
    return [{ name, ...(description !== undefined && { description }), required: entry.required === true }];
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
