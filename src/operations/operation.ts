import type * as z from 'zod';
import type { Assistant, PartialAnswer } from '../ai/assistant.ts';
import type { VaultSession } from '../vault/session.ts';
import type { Assistants } from './call/assistants.ts';
import type { Dialogue } from './call/dialogue.ts';

export type { PartialAnswer } from '../ai/assistant.ts';

export type Scope = 'vault:read' | 'vault:write' | 'vault:admin';

/**
 * `reads` changes nothing; `adds` takes nothing away from what is there; `writes` may replace or remove text (undo brings
 * it back, which makes it no addition); `destroys` removes from view, to the trash. Annotations follow from it.
 */
export type Effects = 'reads' | 'adds' | 'writes' | 'destroys';

/** What clients ask their user about by default. */
export function isDestructive({ effects }: { readonly effects: Effects }): boolean {
  return effects === 'writes' || effects === 'destroys';
}

/** Sets of operations, as an agent is offered them: it pays for every tool in its list with attention. */
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

/** Listed where nobody says otherwise: under 20 KB together. Others are brought in during a connection. */
export const DEFAULT_TOOLSETS: readonly Toolset[] = ['core', 'write', 'structure'];

export interface OperationRoute {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
  readonly path: string;
}

export interface OperationCommand {
  readonly noun: string;
  readonly verb: string;
  readonly positionals?: readonly string[];
  /** Options that stand for values of fields: `csv` → `{ format: 'csv' }`. */
  readonly shorthands?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Whether the command waits until the index is complete. Default: unless it reads from store or settings alone. */
  readonly waitsForIndex?: boolean;
}

export interface OperationContext {
  /** Aborted when the client cancels or hangs up. */
  readonly signal: AbortSignal;
  /** Progress towards the client that asked for it; a no-op otherwise. Values must increase. */
  progress(done: number, total: number | undefined, message?: string): void;
  /** Undefined where there is nobody to ask or to tell. */
  readonly dialogue?: Dialogue | undefined;
  /** What is there of an answer before it is whole, in its order; undefined where nobody listens. */
  readonly partial?: ((part: PartialAnswer) => void) | undefined;
  /** What the door has: {@link assistant} is made by it for the call. Undefined where `ai.provider` is none. */
  readonly assistants?: Assistants | undefined;
  /** Always there for the operations of the toolset `ai`, which are refused before they run where there is none. */
  readonly assistant?: Assistant | undefined;
}

/**
 * Of an operation that answers whoever may read, and changes notes only when it is asked to. Who may not write
 * is offered it without the inputs that are for writing, as one that reads ({@link readingForm}).
 */
export interface WritesSometimes {
  /** Which calls write. They take `vault:write`. */
  when(input: Readonly<Record<string, unknown>>): boolean;
  readonly inputs: readonly string[];
}

/**
 * One thing that can be done, defined once. The MCP tool, the REST route, the CLI command and the
 * reference page all follow from it. Input and output are flat objects: no unions, no `$ref`, every
 * array with items, names `[a-z0-9_]` up to 40 characters, descriptions under 1 KB.
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
  /** Absent = every call has the effects, and `scope` is what it takes. */
  readonly writing?: WritesSometimes;
  /**
   * What an answer is made from. `index`: the call waits for one that is being built, says when something may be
   * missing, and the same call is answered again from the first answer while nothing changed. `store`: the state of
   * files, journal and program at this moment, never an earlier answer. `settings`: the configuration alone; no
   * vault need be there.
   */
  readonly answersFrom: 'index' | 'store' | 'settings';
  /** Which calls of one that answers from the store ask the index as well, and so wait for it. */
  asksIndex?(input: z.output<Input>): boolean;
  /** Names of the inputs that say where in the vault: what the audit log may keep of a call that failed. All others may be text of notes. */
  readonly places: readonly string[];
  /** Over several vaults a call that names none is answered for all of them together. */
  readonly overview?: true;
  /** How long a call may take, ms; default `CALL_MS` of `budgets.ts`. */
  readonly limitMs?: number;
  /** The set of tools that it is listed with. */
  readonly toolset: Toolset;
  /** The same call twice leaves the same state. Defaults to true for reads. */
  readonly idempotent?: boolean;
  readonly input: Input;
  readonly output: Output;
  /** Absent = REST does not have it. */
  readonly rest?: OperationRoute;
  /** A second one, by the path of what is asked about where the first takes it in the body. */
  readonly restByPath?: OperationRoute;
  /** Absent = it is no command. */
  readonly cli?: OperationCommand;
  /** One deterministic line. */
  summarise(output: z.output<Output>, input: z.output<Input>): string;
  /** The same facts as the structured answer, compactly, below the summary. Empty = the summary says it all. */
  render(output: z.output<Output>, input: z.output<Input>): string;
  /** What a terminal shows in columns and below them, where the rows of the answer are not flat. */
  inColumns?(output: z.output<Output>): {
    readonly rows: readonly Readonly<Record<string, unknown>>[];
    readonly below: string;
  };
  /** What was asked for as a text of its own, to be printed as it is and piped; undefined = there is none. */
  ownText?(output: z.output<Output>): string | undefined;
  run(vault: VaultSession, input: z.output<Input>, context: OperationContext): Promise<z.output<Output>>;
}

export type RoutedOperation = Operation & { readonly rest: OperationRoute };
export type CommandOperation = Operation & { readonly cli: OperationCommand };

export function hasRoute(operation: Operation): operation is RoutedOperation {
  return operation.rest !== undefined;
}

/** Every route with the operation behind it, which goes by that route. */
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

/** An operation as those are offered it who may not write: the same one each time, itself where it makes no difference. */
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
