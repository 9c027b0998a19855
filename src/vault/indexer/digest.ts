import { isLecternError } from '../../errors.ts';
import { parseCanvas } from '../../formats/canvas/model.ts';
import { canvasLinks } from '../../formats/canvas/references.ts';
import { canvasText } from '../../formats/canvas/text.ts';
import { etagOf } from '../../notes/etag.ts';
import { errorsIn } from '../../notes/frontmatter/frontmatter.ts';
import type { Dialect, ParsedNote } from '../../notes/model.ts';
import { parseNote } from '../../notes/parse.ts';
import { decodeText } from '../../notes/text.ts';
import { isTooMuchWork } from '../../notes/work.ts';
import type { StoreEntry, StoreProblem } from '../../stores/store.ts';
import type { Digest } from './read-digests.ts';

/**
 * Turns a file's bytes into an index entry. Never throws: a file that cannot be parsed is indexed by name and
 * reported as a problem.
 */
export function digest(entry: StoreEntry, bytes: Uint8Array, dialect: Dialect): Digest {
  const etag = etagOf(bytes, entry.facts);
  const decoded = decodeText(bytes);
  if (!decoded.ok) {
    const message = `Not UTF-8 text (byte ${decoded.offset}); found by name only.`;
    return { input: { entry, etag }, problem: { path: entry.path, code: 'not_utf8', message } };
  }
  switch (entry.kind) {
    case 'note': {
      const parsed = parseNote(decoded.text, { dialect });
      const problem = isTooMuchWork(decoded.text)
        ? { path: entry.path, code: 'not_parsed' as const, message: NOT_PARSED }
        : propertyProblem(entry.path, parsed);
      return { input: { entry, etag, parsed }, problem };
    }
    case 'canvas':
      return canvasDigest(entry, etag, decoded.text);
    default:
      return { input: { entry, etag }, problem: undefined };
  }
}

/** Templates contain placeholders instead of values. */
const NOT_PARSED =
  'Parsing it would take minutes, as it has very long lines full of marks; it is found by its text and its properties alone. Its links, headings and tasks are not known.';

function propertyProblem(path: string, { frontmatter }: ParsedNote): StoreProblem | undefined {
  const error = errorsIn(frontmatter).find(({ code }) => code !== 'template_placeholder');
  if (error === undefined) return undefined;
  const message = `The properties cannot be read: line ${error.line}: ${error.message}`;
  return { path, code: 'unreadable_properties', message };
}

function canvasDigest(entry: StoreEntry, etag: string, text: string): Digest {
  try {
    const canvas = parseCanvas(text);
    return {
      input: { entry, etag, links: canvasLinks(canvas), text: canvasText(canvas) },
      problem: undefined,
    };
  } catch (error) {
    const message = isLecternError(error) ? error.message : 'The canvas cannot be read.';
    return { input: { entry, etag }, problem: { path: entry.path, code: 'unreadable', message } };
  }
}
