import { createInterface, type Interface } from 'node:readline/promises';
import { LecternError } from '../../errors.ts';

/** Asks a person at a terminal. Every question has an answer that Enter alone gives. */
export class Questions {
  readonly #lines: Interface;
  readonly #gone = new AbortController();

  constructor() {
    this.#lines = createInterface({ input: process.stdin, output: process.stdout });
    // Ctrl+C, Ctrl+D and a terminal that is closed all mean: no.
    this.#lines.on('SIGINT', () => this.#lines.close());
    this.#lines.on('close', () => this.#gone.abort());
  }

  close(): void {
    this.#lines.close();
  }

  /**
   * @param read what an answer means; a text says why it means nothing, and the question comes again
   * @throws LecternError `forbidden` when the person went away
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

/** An answer that has to be given again, and why. */
export class Asked {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
