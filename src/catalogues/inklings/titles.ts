import { creatablePathProblem, stem } from '../../notes/path.ts';
import { invalidParams } from './failures.ts';

const MAX_TITLE = 200;
/**
 * Limit of a file name without extension, bytes: ` 12` and `.md` must fit in the 255 bytes of most file
 * systems.
 */
const MAX_NAME_BYTES = 240;

/**
 * Normalises a title as the system does: not blank, at most 200 code points.
 *
 * @throws JsonRpcError
 */
export function checkedTitle(title: string): string {
  const clean = title.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  if (clean === '') throw invalidParams('Page title cannot be blank');
  const length = [...clean].length;
  if (length > MAX_TITLE)
    throw invalidParams(`Page title cannot be longer than ${MAX_TITLE} characters (it has ${length})`);
  return clean;
}

/**
 * `The Hero's Journey` becomes `the-hero-s-journey`. Letters of all scripts are kept, accents are removed.
 */
export function slugify(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'untitled' : slug;
}

/** The page's name in a link: the last part of its target. */
export function nameInLink(target: string): string {
  return stem(`${target.replace(/\.md$/i, '')}.md`);
}

/** The slug for an attempt, after those of earlier attempts were taken. */
export function slugFor(slug: string, attempt: number): string {
  return attempt === 0 ? slug : `${slug}-${attempt + 1}`;
}

/** The file name for a title, without characters that file names or links cannot contain. */
export function fileNameFor(title: string): string {
  const plain = title
    .replace(/%%+|[<>:"|?*\\/#^[\]\u0000-\u001f\u007f]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '');
  const name = cut(plain === '' ? 'Untitled' : plain);
  return creatablePathProblem(`${name}.md`) === undefined ? name : cut(`Page ${name}`);
}

function cut(name: string): string {
  let kept = '';
  let bytes = 0;
  for (const char of name) {
    bytes += Buffer.byteLength(char);
    if (bytes > MAX_NAME_BYTES) break;
    kept += char;
  }
  return kept.replace(/[. ]+$/, '');
}
