import type { StoreProblem } from '../../stores/store.ts';
import { isBelow } from './reconcile.ts';

/** What people should be told about the vault's files, told again only when it is something else. */
export class ProblemList {
  /** Of files that a listing cannot serve. */
  readonly #listed = new Map<string, StoreProblem>();
  /** Of files that cannot be read, or understood. */
  #found = new Map<string, StoreProblem>();
  #told = '';
  readonly #tell: (problems: readonly StoreProblem[]) => void;

  constructor(tell: (problems: readonly StoreProblem[]) => void) {
    this.#tell = tell;
  }

  /** What the index remembers of the files it holds takes the place of what was found so far. */
  remember(problems: readonly StoreProblem[]): void {
    this.#found = new Map(problems.map((problem) => [problem.path, problem]));
  }

  /** A listing of this folder has found these. */
  listed(prefix: string, problems: readonly StoreProblem[]): void {
    for (const path of [...this.#listed.keys()]) if (isBelow(path, prefix)) this.#listed.delete(path);
    for (const problem of problems) this.#listed.set(problem.path, problem);
  }

  /** @param problem undefined when the file is as it should be, or gone */
  found(path: string, problem: StoreProblem | undefined): void {
    if (problem) this.#found.set(path, problem);
    else {
      this.#found.delete(path);
      // Downloaded since.
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
