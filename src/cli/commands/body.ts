import { readFile } from 'node:fs/promises';
import { LecternError } from '../../errors.ts';
import { decodeText } from '../../notes/text.ts';

/**
 * Reads the text of a field that is too long for an option.
 *
 * @param file a path, or `-` for standard input
 * @throws LecternError `invalid_input` for a file that cannot be read and for a text that is not UTF-8
 */
export async function readBody(file: string): Promise<string> {
  return file === '-'
    ? textOf(await standardInput(), 'Standard input')
    : textOf(await fileBytes(file), `The file '${file}'`);
}

/**
 * Reads the text piped to a command without `--file`.
 *
 * @returns undefined on a terminal and for an empty input, which schedulers and scripts pass on unintentionally
 * @throws LecternError `invalid_input` for a text that is not UTF-8
 */
export async function pipedBody(): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined;
  return textOf(await standardInput(), 'Standard input') || undefined;
}

function textOf(bytes: Uint8Array, what: string): string {
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  throw new LecternError('invalid_input', `${what} is not UTF-8 text.`);
}

async function fileBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new LecternError('invalid_input', `The file '${file}' cannot be read${why}.`, { cause: error });
  }
}

async function standardInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
