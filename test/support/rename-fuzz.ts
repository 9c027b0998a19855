import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isLecternError } from '../../src/errors.ts';
import type { Random } from '../patch/random.ts';
import { damageBetween, type SeenVault, seeVault } from './link-oracle.ts';
import type { TestVault } from './test-vault.ts';

export interface FuzzOptions {
  readonly moves: number;
  /** Moves between two looks at the whole vault. */
  readonly batch: number;
}

export interface FuzzOutcome {
  readonly moved: number;
  readonly refused: number;
  readonly relinked: number;
  /** Links that no spelling could keep, each announced in a notice. */
  readonly announced: number;
}

const SEGMENTS = [
  'plain',
  'With Space',
  "it's",
  'R&D',
  '$1 $& $$',
  'paren (1)',
  '会議 室',
  '🚀',
  'Über/unter',
  'a.b.c',
  '100%',
  '%20',
  '+plus+',
  '~x~',
  '`tick`',
  '=eq=',
  '{b}',
  'Cafe\u0301',
  '_em_ *x',
];

/**
 * Moves notes, attachments and folders at random and checks after every batch that each link opens
 * what it opened, that nothing but links changed, and at the end that undoing everything leaves the
 * vault as it was, byte for byte.
 * @throws Error naming the moves of the batch and what broke
 */
export async function fuzzRenames(
  vault: TestVault,
  random: Random,
  options: FuzzOptions,
): Promise<FuzzOutcome> {
  const start = Date.now() - 1;
  const firstHash = vaultHash(vault.folder);
  let files = textsOf(vault.folder);
  let seen = seeVault(files);
  let refused = 0;
  let moved = 0;
  let relinked = 0;
  let announced = 0;
  while (moved < options.moves) {
    const paths = new Set(files.keys());
    const place = new Map([...paths].map((path) => [path, path]));
    const done: string[] = [];
    const warned = new Set<string>();
    for (let at = 0; at < options.batch; at++) {
      const [from, to] = randomMove(random, [...place.values()]);
      try {
        const result = await vault.session.move(from, to, { tool: 'fuzz' });
        relinked += result.relinked.length;
        for (const notice of result.notices) {
          announced++;
          warned.add(notice.split(': no spelling')[0] ?? '');
        }
        done.push(`${from} -> ${to}`);
        moved++;
        for (const [old, now] of place) {
          if (now === from) place.set(old, to);
          else if (now.startsWith(`${from}/`)) place.set(old, to + now.slice(from.length));
        }
      } catch (error) {
        const code = isLecternError(error) ? error.code : undefined;
        if (code === undefined || !['exists', 'invalid_path', 'invalid_input'].includes(code)) {
          throw new Error(`${from} -> ${to} (after ${done.join(', ')}): ${String(error)}`, { cause: error });
        }
        refused++;
      }
    }
    files = textsOf(vault.folder);
    const now = seeVault(files);
    assertIntact(seen, now, place, warned, done);
    seen = now;
  }
  await vault.session.undo({ tool: 'fuzz', since: start });
  const last = vaultHash(vault.folder);
  if (last !== firstHash) throw new Error(`Undo left another vault: ${last}, not ${firstHash}`);
  return { moved, refused, relinked, announced };
}

function assertIntact(
  before: SeenVault,
  after: SeenVault,
  place: ReadonlyMap<string, string>,
  warned: ReadonlySet<string>,
  done: readonly string[],
): void {
  const damage = damageBetween(before, after, (path) => place.get(path) ?? path, warned);
  if (damage.length > 0)
    throw new Error(
      `After ${done.join(', ')}:\n${damage.slice(0, 20).join('\n')}\n(${damage.length} in all)`,
    );
}

/** A file or folder and where it shall go: another folder, another name, another case, a namesake's name. */
function randomMove(random: Random, paths: readonly string[]): [string, string] {
  const path = random.pick(paths) ?? '';
  const slash = path.lastIndexOf('/');
  const folder = slash < 0 ? '' : path.slice(0, slash + 1);
  const name = path.slice(slash + 1);
  const dot = name.lastIndexOf('.');
  const ending = dot <= 0 ? '' : name.slice(dot);
  const stem = dot <= 0 ? name : name.slice(0, dot);
  const other = random.pick(paths) ?? '';
  const otherFolder = other.slice(0, other.lastIndexOf('/') + 1);
  const otherName = other.slice(other.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  const fresh = `${random.pick(SEGMENTS)?.replaceAll('/', '-')}${random.chance(0.4) ? ` ${random.below(50)}` : ''}`;
  const freshFolder = `${random.pick(SEGMENTS)}/${random.chance(0.3) ? `${random.pick(SEGMENTS)}/` : ''}`;
  switch (random.below(9)) {
    case 0:
      return [path, otherFolder + name];
    case 1:
      return [path, `${folder}${fresh}${ending}`];
    case 2:
      return [path, `${freshFolder}${name}`];
    case 3:
      return [
        path,
        `${folder}${stem.toUpperCase() === stem ? stem.toLowerCase() : stem.toUpperCase()}${ending}`,
      ];
    case 4:
      return [path, `${folder}${otherName}${ending}`];
    case 5:
      return [path, `${otherFolder}${fresh}${ending}`];
    case 6:
      return [path, `${freshFolder}${otherName}${ending}`];
    case 7: {
      if (folder === '') return [path, `${freshFolder}${fresh}${ending}`];
      return [folder.slice(0, -1), `${random.chance(0.5) ? otherFolder : ''}${fresh}`];
    }
    default: {
      const [top = ''] = folder.split('/');
      if (top === '') return [path, `${fresh}${ending}`];
      return [top, freshFolder.slice(0, -1)];
    }
  }
}

/** Every file outside dot folders; text where it can hold links, a digest of the bytes elsewhere. */
export function textsOf(root: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const path of pathsBelow(root)) {
    const bytes = readFileSync(join(root, path));
    files.set(
      path,
      /\.(md|canvas)$/i.test(path) ? bytes.toString('utf8') : createHash('sha1').update(bytes).digest('hex'),
    );
  }
  return files;
}

/** Names and bytes of the whole vault in one number; empty folders do not count. */
export function vaultHash(root: string): string {
  const hash = createHash('sha1');
  for (const path of pathsBelow(root).sort())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

function pathsBelow(root: string): string[] {
  const paths: string[] = [];
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = relative(root, join(entry.parentPath ?? entry.path, entry.name))
      .split(sep)
      .join('/');
    if (!path.split('/').some((segment) => segment.startsWith('.'))) paths.push(path);
  }
  return paths;
}
