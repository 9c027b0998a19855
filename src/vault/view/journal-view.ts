import type { Journal, JournalGroup, JournalStep, Trashed } from '../../journal/journal.ts';
import { baseName } from '../../notes/path.ts';
import type { Access } from '../access.ts';
import { scramble, unscramble } from './scramble.ts';

/**
 * The journal as one caller sees it. A caller that does not see every note gets only the parts of a write
 * that concern visible notes, and no entry for a write without such parts. The journal numbers all writes in
 * one sequence, so such a caller gets other numbers.
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

  /** Whether the caller sees the write: more than updated links must be visible. */
  readonly shows = (group: JournalGroup): boolean =>
    this.isWhole || group.steps.some((step) => !step.follows && this.sees(step));

  /** The write with a number given to the caller; undefined when there is none, or none the caller sees. */
  group(number: number): JournalGroup | undefined {
    const id = this.isWhole ? number : unscramble(this.#journal.secret(), 'write', number);
    const group = id === undefined ? undefined : this.#journal.group(id);
    return group && this.shows(group) ? group : undefined;
  }

  /** The number of a write for the caller. */
  number(id: number): number {
    return this.isWhole ? id : (scramble(this.#journal.secret(), 'write', id) ?? 0);
  }

  /** A one-line summary. */
  summary(group: JournalGroup): string {
    if (this.isWhole || group.undoes.length === 0) return group.summary;
    return undoSummary(this.undone(group).map((undone) => this.summary(undone)));
  }

  /** The writes a group reverted, as far as they are still stored. */
  undone({ undoes }: JournalGroup): readonly JournalGroup[] {
    return undoes
      .map((id) => this.#journal.group(id))
      .filter((group) => group !== undefined)
      .filter(this.shows);
  }

  /** The entry of the trash with this name, if the caller may know its original path. */
  trashed(trashPath: string): Trashed | undefined {
    const trashed = this.#journal.trashedFrom(trashPath);
    return trashed && this.#access.mayRead(trashed.path) ? trashed : undefined;
  }

  /**
   * The name of a trashed file for the caller. On the drive it may have a number because of another file of
   * that name, which the caller need not know.
   */
  trashName({ stepId, path, trashPath }: Trashed): string {
    if (this.isWhole) return trashPath;
    return `.trash/${scramble(this.#journal.secret(), 'trash', stepId)}/${baseName(path)}`;
  }

  /** The reverse of {@link trashName}. */
  trashedAs(name: string): Trashed | undefined {
    const [, number] = /^\.trash\/(\d{1,13})\//.exec(name) ?? [];
    const stepId = number && unscramble(this.#journal.secret(), 'trash', Number(number));
    const trashed = stepId ? this.#journal.trashedBy(stepId) : undefined;
    // Another file in the trash may have the same name now.
    const lies = trashed && this.trashed(trashed.trashPath)?.stepId === stepId;
    return lies && this.trashName(trashed) === name ? trashed : undefined;
  }
}

/** @param undone the summaries of the reverted writes */
export function undoSummary(undone: readonly string[]): string {
  return `undo ${undone.length === 1 ? `"${undone[0]}"` : `${undone.length} writes`}`;
}
