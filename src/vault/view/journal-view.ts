import type { Journal, JournalGroup, JournalStep, Trashed } from '../../journal/journal.ts';
import { baseName } from '../../notes/path.ts';
import type { Access } from '../access.ts';
import { scramble, unscramble } from './scramble.ts';

/**
 * The journal as one caller sees it. Who may not see every note is told of a write what concerns the notes they see;
 * of one that concerns none of them, nothing. The journal numbers all writes alike, so such a caller gets other numbers.
 */
export class JournalView {
  readonly #journal: Journal;
  readonly #access: Access;

  constructor(journal: Journal, access: Access) {
    this.#journal = journal;
    this.#access = access;
  }

  /** The caller sees every note. */
  get isWhole(): boolean {
    return this.#access.filter === undefined;
  }

  sees({ path, toPath = path }: Pick<JournalStep, 'path' | 'toPath'>): boolean {
    return this.#access.mayRead(path) && this.#access.mayRead(toPath);
  }

  /** Whether there is such a write for the caller: one of which more than links that follow can be seen. */
  readonly shows = (group: JournalGroup): boolean =>
    this.isWhole || group.steps.some((step) => !step.follows && this.sees(step));

  /** The write of a number that the caller was given; undefined when there is none, or none to see. */
  group(number: number): JournalGroup | undefined {
    const id = this.isWhole ? number : unscramble(this.#journal.secret(), 'write', number);
    const group = id === undefined ? undefined : this.#journal.group(id);
    return group && this.shows(group) ? group : undefined;
  }

  /** The number a write has for the caller. */
  number(id: number): number {
    return this.isWhole ? id : (scramble(this.#journal.secret(), 'write', id) ?? 0);
  }

  /** One line that says what was done. */
  summary(group: JournalGroup): string {
    if (this.isWhole || group.undoes.length === 0) return group.summary;
    return undoSummary(this.undone(group).map((undone) => this.summary(undone)));
  }

  /** The writes a group took back, as far as they are still kept. */
  undone({ undoes }: JournalGroup): readonly JournalGroup[] {
    return undoes
      .map((id) => this.#journal.group(id))
      .filter((group) => group !== undefined)
      .filter(this.shows);
  }

  /** What lies in the trash under this name, if the caller may know where it was. */
  trashed(trashPath: string): Trashed | undefined {
    const trashed = this.#journal.trashedFrom(trashPath);
    return trashed && this.#access.mayRead(trashed.path) ? trashed : undefined;
  }

  /**
   * The name of a trashed file for the caller. On the drive it may be numbered because of another one of its name,
   * which the caller need not know of.
   */
  trashName({ stepId, path, trashPath }: Trashed): string {
    if (this.isWhole) return trashPath;
    return `.trash/${scramble(this.#journal.secret(), 'trash', stepId)}/${baseName(path)}`;
  }

  /** What the caller means by a name that {@link trashName} gave. */
  trashedAs(name: string): Trashed | undefined {
    const [, number] = /^\.trash\/(\d{1,13})\//.exec(name) ?? [];
    const stepId = number && unscramble(this.#journal.secret(), 'trash', Number(number));
    const trashed = stepId ? this.#journal.trashedBy(stepId) : undefined;
    // Another file may have the same name in the trash by now.
    const lies = trashed && this.trashed(trashed.trashPath)?.stepId === stepId;
    return lies && this.trashName(trashed) === name ? trashed : undefined;
  }
}

/** @param undone the summaries of the writes that are taken back */
export function undoSummary(undone: readonly string[]): string {
  return `undo ${undone.length === 1 ? `"${undone[0]}"` : `${undone.length} writes`}`;
}
