import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isLecternError } from '../../src/errors.ts';
import { parseInput } from '../../src/operations/call/input.ts';
import { runOperation } from '../../src/operations/call/run.ts';
import { OPERATIONS } from '../../src/operations/registry.ts';
import { discard, openTestVault, type TestVault } from './test-vault.ts';

export interface CaseAction {
  readonly op: string;
  readonly path?: string;
  readonly [field: string]: unknown;
}

/** What a step of a case answers when it is right; absent keys are not looked at. */
export interface StepRight {
  readonly links?: readonly (string | null)[];
  readonly tags?: readonly string[];
  readonly notes?: readonly string[];
  readonly first?: string;
  readonly headings?: readonly (readonly [level: number, text: string, line: number])[];
  readonly sources?: readonly string[];
  readonly has?: readonly string[];
}

export interface RecordedCase {
  readonly id: string;
  readonly area: string;
  readonly input: { readonly files: Readonly<Record<string, string>>; readonly config?: unknown };
  readonly action: CaseAction | readonly CaseAction[];
  readonly right: StepRight & {
    readonly files?: Readonly<Record<string, string>>;
    /** Other contents that are as good as those of `files`. */
    readonly accept?: readonly Readonly<Record<string, string>>[];
    readonly steps?: readonly (StepRight | null)[];
    readonly result?: string;
  };
}

/** The cases of a file in `test/fixtures`, by id. */
export function recordedCases(file: 'cases.jsonl' | 'cases-2.jsonl'): ReadonlyMap<string, RecordedCase> {
  return new Map(
    readFileSync(fileURLToPath(new URL(`../fixtures/${file}`, import.meta.url)), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as RecordedCase)
      .map((one) => [one.id, one]),
  );
}

/** What one step came to: the structured answer with its text, or the error. */
export interface StepOutcome {
  readonly out: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown };
}

type OperationCall = readonly [name: string, input: Readonly<Record<string, unknown>>];

/** The recorded words for an action, as a call of an operation. Undefined for what no operation does. */
export function callOf(action: CaseAction): OperationCall | undefined {
  const { op, path } = action;
  const patch = (...ops: object[]): OperationCall => ['note_patch', { path, ops }];
  switch (op) {
    case 'append':
      return patch({ op: 'append_body', markdown: action.content });
    case 'prepend':
      return patch({ op: 'prepend_body', markdown: action.content });
    case 'append_section':
      return patch({ op: 'append_to_section', heading: action.heading, markdown: action.content });
    case 'replace_section':
      return patch({ op: 'replace_section', heading: action.heading, markdown: action.content });
    case 'replace_block':
      return patch({ op: 'replace_block', block_id: action.block, markdown: action.content });
    case 'replace_text':
      return patch(
        without({
          op: 'replace_text',
          old: action.old,
          new: action.new,
          all: action.all,
          include_frontmatter: action.include_frontmatter,
        }),
      );
    case 'rename_heading':
      return patch(
        without({
          op: 'rename_heading',
          from: action.heading,
          to: action.new,
          occurrence: action.occurrence,
        }),
      );
    case 'set_task':
      return patch({ op: 'set_task', task: action.task, status: action.status });
    case 'add_tag':
      return patch({ op: 'add_tag', tag: action.tag });
    case 'set_property':
      return patch({ op: 'set_frontmatter', key: action.key, value: action.value });
    case 'delete_property':
      return patch({ op: 'delete_frontmatter', key: action.key });
    case 'set_properties':
      return patch(
        ...Object.entries(action.values as object).map(([key, value]) => ({
          op: 'set_frontmatter',
          key,
          value,
        })),
      );
    case 'create_note':
      return ['note_write', { path, body: action.content, if_not_exists: true }];
    case 'write':
      return ['note_write', { path, body: action.content }];
    case 'rename_note':
    case 'move_folder':
      return ['note_move', { from: action.from, to: action.to }];
    case 'rename_tag':
      return ['tag_rename', { from: action.old, to: action.new }];
    case 'delete':
      return ['note_delete', { path }];
    case 'read':
      return ['note_read', { path }];
    case 'get_properties':
      return ['note_read', { path, include: ['frontmatter'] }];
    case 'tags':
      return ['note_read', { path, include: ['tags'] }];
    case 'outline':
      return ['note_outline', { path }];
    case 'links':
      return ['link_forward', { path, limit: 200 }];
    case 'backlinks':
      return ['link_backlinks', { path, limit: 200 }];
    case 'unresolved':
      return ['link_unresolved', { limit: 200 }];
    case 'search':
      return ['vault_search', { q: action.query, mode: 'lexical' }];
    case 'search_tag':
      return ['tag_notes', { tag: action.tag }];
    case 'list':
      return ['note_list', { limit: 200 }];
    case 'status':
      return ['vault_status', {}];
    case 'tool_call':
      return [action.name as string, action.arguments as Record<string, unknown>];
    default:
      return undefined;
  }
}

const without = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** A case in a vault of its own, with what each of its steps came to. */
export interface RanCase {
  readonly vault: TestVault;
  readonly outcomes: readonly StepOutcome[];
}

/** Runs `work` with the case carried out in a fresh vault, which is removed afterwards. */
export async function withCase<T>(
  recorded: RecordedCase,
  work: (ran: RanCase) => Promise<T> | T,
): Promise<T> {
  const vault = await openTestVault(recorded.input.files);
  try {
    const outcomes: StepOutcome[] = [];
    for (const action of actionsOf(recorded)) {
      const call = callOf(action);
      if (call === undefined) throw new Error(`${recorded.id}: no operation does ${action.op}`);
      outcomes.push(await outcomeOf(vault, call));
    }
    return await work({ vault, outcomes });
  } finally {
    await vault.close();
    discard(vault);
  }
}

export function actionsOf(recorded: RecordedCase): readonly CaseAction[] {
  return Array.isArray(recorded.action) ? recorded.action : [recorded.action as CaseAction];
}

/** Runs one operation as a door does: arguments checked, then run; an expected failure is an outcome. */
export async function outcomeOf(vault: TestVault, [name, given]: OperationCall): Promise<StepOutcome> {
  const operation = OPERATIONS.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  try {
    const input = parseInput(operation, given);
    const out = await runOperation(operation, vault.session, input, {
      signal: new AbortController().signal,
      progress: () => {},
    });
    return { out, text: `${operation.summarise(out, input)}\n${operation.render(out, input)}` };
  } catch (error) {
    if (!isLecternError(error)) throw error;
    const { code, message, details } = error;
    return { out: {}, text: message, error: { code, message, details } };
  }
}
