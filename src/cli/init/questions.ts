import { createInterface, type Interface } from 'node:readline/promises';
import { LecternError } from '../../errors.ts';

/** Asks questions on a terminal. Every question has a default, which Enter selects. */
export class Questions {
  readonly #lines: Interface;
  readonly #gone = new AbortController();

  constructor() {
    this.#lines = createInterface({ input: process.stdin, output: process.stdout });
    // Ctrl+C, Ctrl+D and a closed terminal all abort.
    this.#lines.on('SIGINT', () => this.#lines.close());
    this.#lines.on('close', () => this.#gone.abort());
  }

  close(): void {
    this.#lines.close();
  }

  /**
   * Asks a question until it has a valid answer.
   *
   * @param usual the default answer
   * @param read converts an answer; an {@link Asked} repeats the question
   * @throws LecternError `forbidden` when the user aborts
   */
  async ask<T>(question: string, usual: string, read: (answer: string) => T | Asked): Promise<T> {
    for (;;) {
      const given = await this.#line(`${question} [${usual}]: `);
      const meaning = read(given.trim() === '' ? usual : given.trim());
      if (!(meaning instanceof Asked)) return meaning;
      process.stdout.write(`${meaning.why}\n`);
    }
  }

  async yes(question: string, usual: boolean): Promise<boolean> {
    return await this.ask(question, usual ? 'yes' : 'no', (answer) => {
      if (/^y(es)?$/i.test(answer)) return true;
      return /^no?$/i.test(answer) ? false : new Asked('Answer yes or no.');
    });
  }

  async #line(prompt: string): Promise<string> {
    try {
      return await this.#lines.question(prompt, { signal: this.#gone.signal });
    } catch (cause) {
      process.stdout.write('\n');
      throw new LecternError('forbidden', 'Nothing was written.', { cause });
    }
  }
}

/** The reason why an answer is invalid. */
export class Asked {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
