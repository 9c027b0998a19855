import { joplinFileName } from '../notes/dialects/joplin.ts';
import { baseName, creatablePathProblem, dirName, joinPath, pathKey } from '../notes/path.ts';

/** Limit of a name, bytes of UTF-8: the extension and a number must still fit. */
const MAX_NAME_BYTES = 200;

/**
 * The file or folder name for a title: the title itself when every system can store it, else the name that
 * Joplin's export gives it.
 */
export function fileNameOf(title: string): string {
  const isFine =
    title.normalize('NFC') === title &&
    Buffer.byteLength(title) <= MAX_NAME_BYTES &&
    creatablePathProblem(`${title}.md`, { allowUnlinkable: true }) === undefined &&
    !title.includes('/') &&
    !title.includes('\\');
  return isFine ? title : joplinFileName(title);
}

/** Assigns each name once. Names that differ only in case or Unicode form count as equal. */
export class FreeNames {
  readonly #taken = new Set<string>();

  take(path: string): void {
    this.#taken.add(pathKey(path));
  }

  /** Takes the path. A name that is taken gets a number appended, as in Joplin's export: `Note-1.md`. */
  free(folder: string, stem: string, ending: string): string {
    for (let number = 0; ; number++) {
      const path = joinPath(folder, `${stem}${number === 0 ? '' : `-${number}`}${ending}`);
      if (this.#taken.has(pathKey(path))) continue;
      this.take(path);
      return path;
    }
  }
}

/** Folder, name and extension; the extension includes the dot. */
export function partsOf(path: string): { folder: string; stem: string; ending: string } {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
  return { folder: dirName(path), stem, ending };
}
