import { readFile } from 'node:fs/promises';
import { LecternError } from '../../errors.ts';
import { decodeText } from '../../notes/text.ts';

/**
 * The text for a field that is too long for an option.
 *
 * @param file a path, `-` for standard input; undefined = standard input unless it is a terminal
 * @returns undefined when there is nothing to read
 * @throws LecternError `invalid_input` for what cannot be read or is not UTF-8
 */
export async function readBody(file: string | undefined): Promise<string | undefined> {
  if (file === undefined && process.stdin.isTTY) return undefined;
  const isInput = file === undefined || file === '-';
  const bytes = isInput ? await standardInput() : await fileBytes(file);
  const decoded = decodeText(bytes);
  if (decoded.ok) return decoded.text;
  throw new LecternError('invalid_input', `${isInput ? 'Standard input' : file} is not UTF-8 text.`);
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
