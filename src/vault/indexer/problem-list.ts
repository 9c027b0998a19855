import type { StoreProblem } from '../../stores/store.ts';
import { isBelow } from './reconcile.ts';

/** Problems of files that users should know, sent again only after a change. */
export class ProblemList {
  /** Files that a listing cannot serve. */
  readonly #listed = new Map<string, StoreProblem>();
  /** Files that cannot be read or parsed. */
  #found = new Map<string, StoreProblem>();
  #told = '';
  readonly #tell: (problems: readonly StoreProblem[]) => void;

  constructor(tell: (problems: readonly StoreProblem[]) => void) {
    this.#tell = tell;
  }

  /** Replaces the problems with those stored in the index. */
  remember(problems: readonly StoreProblem[]): void {
    this.#found = new Map(problems.map((problem) => [problem.path, problem]));
  }

  /** Records the problems a listing of this folder found. */
  listed(prefix: string, problems: readonly StoreProblem[]): void {
    for (const path of [...this.#listed.keys()]) if (isBelow(path, prefix)) this.#listed.delete(path);
    for (const problem of problems) this.#listed.set(problem.path, problem);
  }

  /** @param problem undefined when the file is fine or gone */
  found(path: string, problem: StoreProblem | undefined): void {
    if (problem) this.#found.set(path, problem);
    else {
      this.#found.delete(path);
      // It was downloaded in the meantime.
      if (this.#listed.get(path)?.code === 'cloud_placeholder') this.#listed.delete(path);
    }
  }

  send(): void {
    const problems = [...new Map([...this.#listed, ...this.#found]).values()];
    const print = JSON.stringify(problems);
    if (print === this.#told) return;
    this.#told = print;
    this.#tell(problems);
  }
}
