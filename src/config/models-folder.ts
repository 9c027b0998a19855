import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stateHome } from './state-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** File with the name of the model used when neither flag nor environment names an embedder. */
const IN_USE_FILE = 'in-use';

/** Folder of embedding models, one folder each, shared by all vaults. It may not exist yet. */
export function modelsFolder(environment: Environment): string {
  return join(stateHome(environment), 'lectern', 'models');
}

/** Path of the file with the name of the chosen model. */
export function inUseFile(environment: Environment): string {
  return join(modelsFolder(environment), IN_USE_FILE);
}

/** Whether a text is a valid model name: it becomes a folder's name, and must not start with a dot or dash. */
export function isModelName(text: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,79}$/u.test(text) && text !== IN_USE_FILE;
}

/** The model that `lectern model use` chose; undefined when there is none. */
export function modelInUse(environment: Environment): string | undefined {
  let text: string;
  try {
    text = readFileSync(inUseFile(environment), 'utf8').trim();
  } catch {
    return undefined;
  }
  return isModelName(text) ? text : undefined;
}
