import { joplinFileName } from '../notes/dialects/joplin.ts';
import { baseName, creatablePathProblem, dirName, joinPath, pathKey } from '../notes/path.ts';

/** Bytes of a name that leave room for an ending and a number. */
const MAX_NAME_BYTES = 200;

/** A title as the name of a file or folder: as it is wherever every system can hold it, else as in Joplin's export. */
export function fileNameOf(title: string): string {
  const isFine =
    title.normalize('NFC') === title &&
    Buffer.byteLength(title) <= MAX_NAME_BYTES &&
    creatablePathProblem(`${title}.md`, { allowUnlinkable: true }) === undefined &&
    !title.includes('/') &&
    !title.includes('\\');
  return isFine ? title : joplinFileName(title);
}

/** Names that are given out once each: those that differ in case and Unicode form only are one. */
export class FreeNames {
  readonly #taken = new Set<string>();

  take(path: string): void {
    this.#taken.add(pathKey(path));
  }

  /** The path, with a number behind the name as in Joplin's export when it is taken. */
  free(folder: string, stem: string, ending: string): string {
    for (let number = 0; ; number++) {
      const path = joinPath(folder, `${stem}${number === 0 ? '' : `-${number}`}${ending}`);
      if (this.#taken.has(pathKey(path))) continue;
      this.take(path);
      return path;
    }
  }
}

/** The name of a file and its ending, with the dot. */
export function partsOf(path: string): { folder: string; stem: string; ending: string } {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
  return { folder: dirName(path), stem, ending };
}
