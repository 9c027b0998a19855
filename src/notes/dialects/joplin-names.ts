import { readablePathProblem } from '../path.ts';

/** Limit of a name, bytes: longer ones are cut so that an extension and a mark still fit. */
const MAX_NAME_BYTES = 200;

/**
 * The folder or file name for a Joplin title, which may contain anything: characters a path cannot have are
 * replaced by look-alikes. A title that is a valid name stays as it is.
 */
export function nameOf(title: string): string {
  const plain = cut(
    title
      .replace(/\p{Surrogate}/gu, '\ufffd')
      .replace(/[\u0000-\u001f\u007f]/g, ' ')
      .replaceAll('/', '\u2215')
      .replaceAll('\\', '\u29f5'),
  );
  if (isName(plain)) return plain;
  const milder = plain
    .replace(/^[^\p{L}\p{N}]*\./u, '\u2024')
    .replace(/~/g, '\uff5e')
    .replace(/:$/, '\ua789');
  return isName(milder) ? milder : 'Untitled';
}

function isName(name: string): boolean {
  return readablePathProblem(`${name}/x`) === undefined;
}

function cut(title: string): string {
  if (Buffer.byteLength(title) <= MAX_NAME_BYTES) return title;
  let bytes = 0;
  let kept = '';
  for (const character of title) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_NAME_BYTES - 3) break;
    kept += character;
  }
  return `${kept}…`;
}
