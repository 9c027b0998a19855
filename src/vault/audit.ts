import type { AuditedChange, AuditLog, AuditRecord } from '../journal/audit.ts';
import type { Journal, JournalActor, JournalGroup, JournalStep, Refusal } from '../journal/journal.ts';
import { normalizePath } from '../notes/path.ts';
import type { Access } from './access.ts';
import type { Configuration } from './configuration.ts';
import type { Actor, FailedCall, SentToModel } from './session.ts';

/** The outcome of a write: which steps are on disk, and which found a version written by someone else. */
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
/** Refusals are written to disk in batches, so that a client that is refused in a loop does not slow down others. */
const GATHER_MS = 250;
const MAX_GATHERED = 100;
const SHOWN_CHANGES = 50;
const MAX_LENGTH = 500;

/**
 * Records writes and refused calls, whichever door they came through: every write passes the journal, every
 * call passes a session, and both report here.
 */
export class Auditor {
  readonly #options: AuditorOptions;
  #gathered: Refusal[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AuditorOptions) {
    this.#options = options;
  }

  /** The journal has recorded the write already; this adds the line of the log. Steps that never began are left out. */
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

  /** Records each change of the configuration, without the values. */
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

  /** Records how much text was sent to a language model, in tokens. */
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

  /** Records a failed call. Of reads only refused ones are recorded. */
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
   * @param session for a caller that does not see the whole vault: returns only that session's records,
   *   without calls that named a hidden path; undefined = all
   */
  refusals(limit: number, session: string | undefined): readonly Refusal[] {
    this.flush();
    const own = session === undefined ? {} : { session, except: 'hidden' };
    return this.#options.journal().refusals({ limit, ...own });
  }

  /** Writes the gathered records to the journal. */
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

  /** Records kept per quarter of a second; the log has all of them. */
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

/** The caller got `not_found`; the owner may see that a rule was the reason. */
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
