import { errorsIn, parseFrontmatter } from '../../../notes/frontmatter/frontmatter.ts';
import { decodeText } from '../../../notes/text.ts';
import { LARGEST_FILE } from '../../../stores/folder/largest.ts';
import { type Check, counted, type Finding, ok, problem } from '../check.ts';
import type { DoctorVault } from '../context.ts';
import { readNotes, type VaultWalk } from '../walk.ts';
import { eachFolder } from './each-folder.ts';

/** Checks the bytes of every note: readable, UTF-8 text, with valid front matter. */
export const notes: Check = {
  name: 'notes',
  run: (context) => eachFolder(context, read),
};

async function read({ name, location }: DoctorVault, walk: VaultWalk): Promise<readonly Finding[]> {
  const closed = [...walk.closed];
  const wide: string[] = [];
  const broken: string[] = [];
  const unread: string[] = [];
  const dialect = walk.folders.includes('logseq') ? 'logseq' : 'obsidian';
  await readNotes(location, walk, LARGEST_FILE, (path, found) => {
    if (found instanceof Error) {
      if (!('code' in found && found.code === 'ENOENT')) closed.push(path);
      return;
    }
    const decoded = decodeText(found);
    if (!decoded.ok) (isWide(found) ? wide : broken).push(path);
    else if (errorsIn(parseFrontmatter(decoded.text, dialect)).length > 0) unread.push(path);
  });
  const large = walk.files.filter(({ kind, stats }) => kind === 'note' && stats.size > LARGEST_FILE);
  const findings: Finding[] = [];
  const tell = (code: string, paths: readonly string[], what: string, next: string) => {
    if (paths.length === 0) return;
    findings.push(
      problem(`notes.${code}`, `Vault ${name}: ${counted(paths.length, 'entry', 'entries')} ${what}.`, next, {
        names: [...paths].sort(),
      }),
    );
  };
  tell('closed', closed, 'may not be read by this user', 'Give this user the right to read it.');
  tell('utf16', wide, 'in UTF-16, which is not served', 'Save it as UTF-8 in an editor.');
  tell(
    'not_utf8',
    broken,
    'not UTF-8 text, which would be damaged by an edit and is not served',
    'Convert it to UTF-8 in an editor that knows its encoding.',
  );
  tell(
    'front_matter',
    unread,
    'with front matter that cannot be read, so that its properties are not found',
    'Correct the YAML between the two lines of dashes.',
  );
  tell(
    'too_large',
    large.map(({ path }) => path),
    `larger than ${LARGEST_FILE / 1024 / 1024} MiB, which is not served`,
    'Split it.',
  );
  if (findings.length > 0) return findings;
  const count = walk.files.filter(({ kind }) => kind === 'note').length;
  const size = (walk.bytes / 1024 / 1024).toFixed(1);
  return [
    ok(
      'notes.readable',
      `Vault ${name}: ${counted(count, 'note')} can be read; ${counted(walk.files.length, 'file')}, ${size} MiB.`,
    ),
  ];
}

/** Whether the bytes are UTF-16: with a byte order mark, or with every other byte zero. */
function isWide(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const start = bytes.subarray(0, 200);
  return start.filter((byte) => byte === 0).length * 3 > start.length && start.length > 3;
}
