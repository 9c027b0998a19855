import type * as z from 'zod';
import type { Assistant, PartialAnswer } from '../ai/assistant.ts';
import type { VaultSession } from '../vault/session.ts';
import type { Assistants } from './call/assistants.ts';
import type { Dialogue } from './call/dialogue.ts';

export type { PartialAnswer } from '../ai/assistant.ts';

export type Scope = 'vault:read' | 'vault:write' | 'vault:admin';

/**
 * `reads` changes nothing; `adds` removes nothing; `writes` may replace or remove text (undo restores it,
 * which makes that no addition); `destroys` removes from view, to the trash. Annotations are derived from it.
 */
export type Effects = 'reads' | 'adds' | 'writes' | 'destroys';

/** The effects for which clients ask their user by default. */
export function isDestructive({ effects }: { readonly effects: Effects }): boolean {
  return effects === 'writes' || effects === 'destroys';
}

/** Sets of operations, as offered to agents: every listed tool costs an agent attention. */
export const TOOLSETS = {
  core: 'find and read notes',
  write: 'change notes and take changes back',
  structure: 'links, tags and related notes',
  folders: 'list and make folders',
  admin: 'index and settings',
  canvas: 'read and change canvases',
  bases: 'query bases',
  ai: 'answers and suggestions of a language model',
  tasks: 'list and change tasks',
  attachments: 'read and add files that are no notes',
} as const;
export type Toolset = keyof typeof TOOLSETS;

/** Listed by default: under 20 KB together. Others can be added during a connection. */
export const DEFAULT_TOOLSETS: readonly Toolset[] = ['core', 'write', 'structure'];

export interface OperationRoute {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
  readonly path: string;
}

export interface OperationCommand {
  readonly noun: string;
  readonly verb: string;
  readonly positionals?: readonly string[];
  /** Options that stand for field values: `csv` → `{ format: 'csv' }`. */
  readonly shorthands?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether the command waits until the index is complete. Default: unless it reads only the store or the settings. */
  readonly waitsForIndex?: boolean;
}

export interface OperationContext {
  /** Aborted when the client cancels or hangs up. */
  readonly signal: AbortSignal;
  /** Sends progress to a client that asked for it; otherwise does nothing. Values must increase. */
  progress(done: number, total: number | undefined, message?: string): void;
  /** Undefined where there is no client to ask or notify. */
  readonly dialogue?: Dialogue | undefined;
  /** Sends parts of an answer before it is complete, in order; undefined when the caller does not want them. */
  readonly partial?: ((part: PartialAnswer) => void) | undefined;
  /** Makes the {@link assistant} of the call. Undefined when `ai.provider` is `none`. */
  readonly assistants?: Assistants | undefined;
  /** Set for every operation of the toolset `ai`: without an assistant the call is refused before it runs. */
  readonly assistant?: Assistant | undefined;
}

/**
 * For an operation that answers every reader, and changes notes only on request. A caller without write
 * access is offered it without the inputs for writing ({@link readingForm}).
 */
export interface WritesSometimes {
  /** Which calls write. They require `vault:write`. */
  when(input: Readonly<Record<string, unknown>>): boolean;
  readonly inputs: readonly string[];
}

/**
 * One operation, defined once. The MCP tool, the REST route, the CLI command and the reference page are
 * derived from it. Input and output are flat objects: no unions, no `$ref`, every array with items, names
 * `[a-z0-9_]` up to 40 characters, descriptions under 1 KB.
 */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly effects: Effects;
  /** Absent = every call has the effects, and `scope` is required. */
  readonly writing?: WritesSometimes;
  /**
   * The source of an answer. `index`: the call waits for an index that is being built, says when something
   * may be missing, and an identical call gets the first answer again while nothing changed. `store`: the
   * current state of files, journal and program, never an earlier answer. `settings`: only the configuration;
   * no vault need exist.
   */
  readonly answersFrom: 'index' | 'store' | 'settings';
  /** Which calls of an operation that answers from the store also use the index, and wait for it. */
  asksIndex?(input: z.output<Input>): boolean;
  /**
   * Names of the inputs that are places in the vault: the audit log may record these of a failed call. All
   * other inputs may be note text.
   */
  readonly places: readonly string[];
  /** With several vaults, a call that names none is answered for all of them together. */
  readonly overview?: true;
  /** How long a call may take, ms; default `CALL_MS` of `budgets.ts`. */
  readonly limitMs?: number;
  /** The toolset it belongs to. */
  readonly toolset: Toolset;
  /** The same call twice leaves the same state. Defaults to true for reads. */
  readonly idempotent?: boolean;
  readonly input: Input;
  readonly output: Output;
  /** Absent = not available over REST. */
  readonly rest?: OperationRoute;
  /** A second route, by the path of the note, where the first takes it in the body. */
  readonly restByPath?: OperationRoute;
  /** Absent = no command. */
  readonly cli?: OperationCommand;
  /** One deterministic line. */
  summarise(output: z.output<Output>, input: z.output<Input>): string;
  /** The facts of the structured answer in compact form, below the summary. Empty = the summary is complete. */
  render(output: z.output<Output>, input: z.output<Input>): string;
  /** The terminal's columns, and what is shown below them, where the answer's rows are not flat. */
  inColumns?(output: z.output<Output>): {
    readonly rows: readonly Readonly<Record<string, unknown>>[];
    readonly below: string;
  };
  /** The plain text to print, for piping; undefined = there is none. */
  ownText?(output: z.output<Output>): string | undefined;
  run(vault: VaultSession, input: z.output<Input>, context: OperationContext): Promise<z.output<Output>>;
}

export type RoutedOperation = Operation & { readonly rest: OperationRoute };
export type CommandOperation = Operation & { readonly cli: OperationCommand };

export function hasRoute(operation: Operation): operation is RoutedOperation {
  return operation.rest !== undefined;
}

/** Every route with its operation. */
export function routesOf(operations: readonly Operation[]): readonly RoutedOperation[] {
  return operations
    .filter(hasRoute)
    .flatMap((operation) =>
      operation.restByPath === undefined
        ? [operation]
        : [operation, { ...operation, rest: operation.restByPath }],
    );
}

export function hasCommand(operation: Operation): operation is CommandOperation {
  return operation.cli !== undefined;
}

/** Whether this call may change notes. */
export function writesWith(
  { effects, writing }: Pick<Operation, 'effects' | 'writing'>,
  input: Readonly<Record<string, unknown>>,
): boolean {
  return effects !== 'reads' && (writing === undefined || writing.when(input));
}

const readingForms = new WeakMap<Operation, Operation>();

/**
 * The operation as offered to callers without write access: always the same object, and the operation itself
 * where there is no difference.
 */
export function readingForm(whole: Operation): Operation {
  const { writing } = whole;
  if (writing === undefined) return whole;
  const known = readingForms.get(whole);
  if (known !== undefined) return known;
  const without: Record<string, true> = Object.fromEntries(writing.inputs.map((key) => [key, true]));
  const { writing: _, ...rest } = whole;
  const form: Operation = { ...rest, effects: 'reads', input: whole.input.omit(without as never) };
  readingForms.set(whole, form);
  return form;
}

/** Infers the schema types; adds nothing at run time. */
export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Route extends OperationRoute | undefined = undefined,
  Command extends OperationCommand | undefined = undefined,
>(
  definition: Operation<Input, Output> & { readonly rest?: Route; readonly cli?: Command },
): Operation<Input, Output> & { readonly rest: Route; readonly cli: Command } {
  return definition as Operation<Input, Output> & { readonly rest: Route; readonly cli: Command };
}
