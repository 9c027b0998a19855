import { creatablePathProblem, stem } from '../../notes/path.ts';
import { invalidParams } from './failures.ts';

const MAX_TITLE = 200;
/** Of a file name without its ending: room for ` 12` and `.md` below the 255 bytes of most file systems. */
const MAX_NAME_BYTES = 240;

/**
 * A title as the system takes it: not blank, 200 code points at most.
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

/** `The Hero's Journey` → `the-hero-s-journey`. Letters of every script stay; accents go. */
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

/** What a link calls its page: the end of its target. */
export function nameInLink(target: string): string {
  return stem(`${target.replace(/\.md$/i, '')}.md`);
}

/** A slug when those of the attempts before are taken. */
export function slugFor(slug: string, attempt: number): string {
  return attempt === 0 ? slug : `${slug}-${attempt + 1}`;
}

/** The name of a file for a title: the title itself, but for what file names or links cannot hold. */
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
