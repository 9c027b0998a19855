import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PlaceReader, realPlace } from './real-place.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'lectern-place-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('realPlace', () => {
  it('is one for every way to a folder that is there', () => {
    const real = join(root, 'Notizen', 'Tresor');
    mkdirSync(real, { recursive: true });
    symlinkSync(join(root, 'Notizen'), join(root, 'link'));
    symlinkSync('link/Tresor', join(root, 'relative'));
    symlinkSync(join(root, 'relative'), join(root, 'chain'));
    for (const way of [
      'Notizen/Tresor',
      'Notizen/Tresor/',
      'Notizen//Tresor',
      'Notizen/../Notizen/./Tresor',
      'link/Tresor',
      'relative',
      'chain',
    ])
      expect(realPlace(`${root}/${way}`), way).toBe(real);
  });

  it('is the same before and after a drive comes, through links too', () => {
    const mount = join(root, 'media');
    symlinkSync(join(mount, 'drive', 'Notes'), join(root, 'link'));
    symlinkSync('link', join(root, 'link2'));
    const ways = ['media/drive/Notes', 'link', 'link2', 'link/', 'link2/../media/drive/Notes'];
    const away = ways.map((way) => realPlace(`${root}/${way}`));
    mkdirSync(join(mount, 'drive', 'Notes'), { recursive: true });
    expect(ways.map((way) => realPlace(`${root}/${way}`))).toEqual(away);
    expect(new Set(away)).toEqual(new Set([join(mount, 'drive', 'Notes')]));
  });

  it('is what is written where links lead in a circle', () => {
    symlinkSync(join(root, 'b'), join(root, 'a'));
    symlinkSync(join(root, 'a'), join(root, 'b'));
    expect(realPlace(join(root, 'a'))).toBe(join(root, 'a'));
  });

  it('keeps two folders apart whose names differ in case or form on a drive that does', () => {
    for (const name of ['notes', 'Notes', 'caf\u00e9', 'cafe\u0301'])
      mkdirSync(join(root, name), { recursive: true });
    const places = ['notes', 'Notes', 'caf\u00e9', 'cafe\u0301'].map((name) => realPlace(join(root, name)));
    expect(new Set(places).size).toBe(new Set(places.map((place) => statSync(place).ino)).size);
  });

  it('is the spelling on the drive, on one where case and form make no difference', () => {
    mkdirSync(join(root, 'Notizbücher', 'Café'), { recursive: true });
    const drive = folding(root);
    const real = join(root, 'Notizbücher', 'Café');
    for (const way of [
      'Notizbücher/Café',
      'notizbücher/café',
      'NOTIZBÜCHER/CAFÉ',
      'notizbu\u0308cher/cafe\u0301',
      'nOTIZBU\u0308cher/Cafe\u0301',
    ])
      expect(realPlace(join(root, way), drive), way).toBe(real);
    renameSync(real, join(root, 'Notizbücher', 'Cafe\u0301'));
    expect(realPlace(join(root, 'NOTIZBÜCHER/café'), drive)).toBe(join(root, 'Notizbücher', 'Cafe\u0301'));
    expect(realPlace(join(root, 'notizbücher/new'), drive)).toBe(join(root, 'Notizbücher', 'new'));
  });
});

/** The real drive, seen as one that takes any case and form below `top` and says a path back as it was given. */
function folding(top: string): PlaceReader {
  const key = (name: string) => name.normalize('NFC').toLowerCase();
  const found = (path: string): string => {
    if (!path.startsWith(`${top}/`)) return path;
    let at = top;
    for (const name of path.slice(top.length + 1).split('/'))
      at = join(at, readdirSync(at).find((each) => key(each) === key(name)) ?? name);
    return at;
  };
  return {
    realpath: (path) => {
      realpathSync(found(path));
      return path;
    },
    readlink: () => '',
    stat: (path) => statSync(found(path), { throwIfNoEntry: false }),
    isLink: () => false,
    names: (folder) => readdirSync(found(folder)),
  };
}
