import { readablePathProblem } from '../path.ts';

/** Bytes that a name may have; what is longer is cut so that an extension and a mark still fit. */
const MAX_NAME_BYTES = 200;

/**
 * The name of a folder or file for a title of Joplin, which may hold anything: what a path cannot have is written with
 * a sign that looks alike. A title that a path can hold is its own name.
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
