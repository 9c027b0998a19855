import type { AuditedChange, AuditLog, AuditRecord } from '../journal/audit.ts';
import type { Journal, JournalActor, JournalGroup, JournalStep, Refusal } from '../journal/journal.ts';
import { normalizePath } from '../notes/path.ts';
import type { Access } from './access.ts';
import type { Configuration } from './configuration.ts';
import type { Actor, FailedCall, SentToModel } from './session.ts';

/** A write as it ended: which of its steps are on disk and which met somebody else's version. */
export interface EndedWrite {
  readonly group: JournalGroup;
  readonly actor: JournalActor;
  readonly done: readonly JournalStep[];
  readonly failed: readonly JournalStep[];
  /** Notes with a link that leads elsewhere now. */
  readonly turned?: readonly string[];
  readonly recovered?: boolean;
}

export interface AuditorOptions {
  /** Undefined = records are kept in the journal only. */
  readonly log: AuditLog | undefined;
  readonly journal: () => Journal;
  readonly warn: (message: string) => void;
}

const REFUSALS: ReadonlySet<string> = new Set([
  'forbidden',
  'read_only',
  'not_offered',
  'insufficient_scope',
  'hidden',
]);
/** Refusals go to disk together: a client that is refused in a loop must not make everybody wait for the disk. */
const GATHER_MS = 250;
const MAX_GATHERED = 100;
const SHOWN_CHANGES = 50;
const MAX_LENGTH = 500;

/**
 * Writes down what is done to a vault and what is refused, whichever door it came through: writes pass the
 * journal, calls pass a session, and both end here.
 */
export class Auditor {
  readonly #options: AuditorOptions;
  #gathered: Refusal[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AuditorOptions) {
    this.#options = options;
  }

  /** The journal has the write already; the log gets its line. Steps that were never begun are not told. */
  wrote({ group, actor, done, failed, turned = [], recovered }: EndedWrite): void {
    if (done.length === 0) return;
    const steps = [...done.map((step) => change(step)), ...failed.map((step) => change(step, true))];
    this.#options.log?.append({
      time: new Date().toISOString(),
      event: 'write',
      outcome: failed.length === 0 ? 'ok' : 'partial',
      ...who(actor),
      tool: group.tool,
      changes: steps.slice(0, SHOWN_CHANGES),
      files: steps.length,
      write_id: group.id,
      ...(turned.length > 0 && { links_turned: turned.slice(0, SHOWN_CHANGES) }),
      ...(recovered && { recovered }),
    });
  }

  /** The same configuration; each change of it is told, without the value. */
  watching(configuration: Configuration, actor: Actor): Configuration {
    return {
      settings: () => configuration.settings(),
      change: async (change) => {
        const done = await configuration.change(change);
        if (done.changed && !change.dryRun) this.#changed(actor, done.setting);
        return done;
      },
    };
  }

  #changed(actor: Actor, setting: string): void {
    this.#options.log?.append({
      time: new Date().toISOString(),
      event: 'write',
      outcome: 'ok',
      ...who(actor),
      tool: 'vault_config_set',
      setting,
    });
  }

  /** What left for a language model, and how many tokens it was. */
  sent(actor: Actor, tool: string, request: SentToModel): void {
    const { provider, model, host, paths, inputTokens, outputTokens, outcome } = request;
    this.#options.log?.append({
      time: new Date().toISOString(),
      event: 'sent',
      outcome,
      ...who(actor),
      tool: actor.tool ?? tool,
      provider,
      model,
      ...(host !== undefined && { host }),
      sent_paths: paths.slice(0, SHOWN_CHANGES),
      files: paths.length,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
    });
  }

  /** A call that came to nothing. Reads are told only when they were refused. */
  failed(actor: Actor, access: Access, call: FailedCall): void {
    const code = call.code === 'not_found' && aimsAtHidden(access, call) ? 'hidden' : call.code;
    const refused = REFUSALS.has(code);
    if (!refused && !call.writes) return;
    const paths = shortened(call.paths ?? {});
    const tool = (actor.tool ?? call.tool).slice(0, MAX_LENGTH);
    const record: AuditRecord = {
      time: new Date().toISOString(),
      event: refused ? 'refused' : 'failed',
      outcome: refused ? 'refused' : code === 'cancelled' ? 'cancelled' : 'error',
      code,
      ...who(actor),
      tool,
      paths,
      ...(call.before !== undefined && { before: call.before.slice(0, MAX_LENGTH) }),
    };
    this.#options.log?.append(record);
    if (refused) this.#gather({ time: Date.now(), actor, tool, code, paths: Object.values(paths) });
  }

  /**
   * @param session whoever does not see the whole vault is told of their own, and of no call that aimed at
   *   what is hidden: there is no such thing; undefined = all
   */
  refusals(limit: number, session: string | undefined): readonly Refusal[] {
    this.flush();
    const own = session === undefined ? {} : { session, except: 'hidden' };
    return this.#options.journal().refusals({ limit, ...own });
  }

  /** Puts what was gathered into the journal. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const gathered = this.#gathered;
    this.#gathered = [];
    if (gathered.length === 0) return;
    try {
      this.#options.journal().refuse(gathered);
    } catch (error) {
      this.#options.warn(
        `Refused calls are not in the journal: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  /** More than that in a quarter of a second is noise; the log has it all. */
  #gather(refusal: Refusal): void {
    if (this.#gathered.length < MAX_GATHERED) this.#gathered.push(refusal);
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
    this.#timer.unref();
  }
}

function who({ kind, name, session, client, address }: JournalActor) {
  return {
    door: kind,
    who: name,
    credential: session,
    ...(client !== undefined && { client }),
    ...(address !== undefined && { address }),
  };
}

function change({ action, path, toPath, beforeEtag, afterEtag }: JournalStep, failed = false): AuditedChange {
  return {
    action,
    path,
    ...(toPath !== undefined && { to: toPath }),
    ...(beforeEtag !== undefined && { before: beforeEtag }),
    ...(afterEtag !== undefined && { after: afterEtag }),
    ...(failed && { failed: true as const }),
  };
}

/** The caller was told that there is no such note; the owner may know that there was a rule. */
function aimsAtHidden(access: Access, { paths = {} }: FailedCall): boolean {
  return Object.values(paths).some((path) => {
    try {
      return !access.mayRead(normalizePath(path));
    } catch {
      return false;
    }
  });
}

function shortened(paths: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(paths).map(([key, path]) => [key, path.slice(0, MAX_LENGTH)]));
}
