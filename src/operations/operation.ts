import type * as z from 'zod';
import type { VaultSession } from '../vault/session.ts';
import type { Dialogue } from './call/dialogue.ts';

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

export interface OperationContext {
  /** Aborted when the client cancels or hangs up. */
  readonly signal: AbortSignal;
  /** Progress towards the client that asked for it; a no-op otherwise. Values must increase. */
  progress(done: number, total: number | undefined, message?: string): void;
  /** Undefined where there is nobody to ask or to tell. */
  readonly dialogue?: Dialogue | undefined;
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
  /**
   * Set when the answer comes from the index: the call then waits for one that is being built, and the answer says when
   * something may be missing. A function tells it of one input.
   */
  readonly answersFromIndex?: true | ((input: z.output<Input>) => boolean);
  /** The same call twice leaves the same state. Defaults to true for reads. */
  readonly idempotent?: boolean;
  readonly input: Input;
  readonly output: Output;
  readonly rest: {
    readonly method: 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
    readonly path: string;
  };
  readonly cli: { readonly noun: string; readonly verb: string; readonly positionals?: readonly string[] };
  /** One deterministic line. */
  summarise(output: z.output<Output>, input: z.output<Input>): string;
  /** The same facts as the structured answer, compactly, below the summary. Empty = the summary says it all. */
  render(output: z.output<Output>, input: z.output<Input>): string;
  run(vault: VaultSession, input: z.output<Input>, context: OperationContext): Promise<z.output<Output>>;
}

/** Infers the schema types; adds nothing at run time. */
export function operation<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Operation<Input, Output>,
): Operation<Input, Output> {
  return definition;
}
