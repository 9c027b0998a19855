import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Ask, isNewer, newestVersion, updateText } from './update.ts';

const PUBLISHED = {
  name: 'lectern',
  isPrivate: false,
  repository: 'git+https://example.org/ann/lectern.git',
};

function npm(answer: object | undefined): Ask {
  return async (program) => {
    expect(program).toBe('npm');
    return answer === undefined ? undefined : JSON.stringify(answer);
  };
}

const ours = { 'repository.url': 'https://example.org/ann/lectern' };

test.each([
  ['1.0.0', { ...ours, version: '1.0.0' }, 'current'],
  ['1.0.0', { ...ours, version: '1.10.0' }, 'newer'],
  ['2.0.0', { ...ours, version: '1.10.0' }, 'current'],
  ['1.0.0', { version: '9.0.0', 'repository.url': 'https://example.org/else/lectern' }, 'unknown'],
  ['1.0.0', { version: '9.0.0' }, 'unknown'],
  ['1.0.0', {}, 'unknown'],
  ['1.0.0', undefined, 'unknown'],
])('%s beside %j is %s', async (version, answer, status) => {
  const found = await newestVersion(version, PUBLISHED, undefined, npm(answer));
  expect(found.status).toBe(status);
  expect(updateText(found)).toMatch(/^\S.*\.$/s);
});

test('a build that was not published is never compared with a package of its name', async () => {
  const never: Ask = async () => {
    throw new Error('nobody is to be asked');
  };
  const unpublished = { ...PUBLISHED, isPrivate: true };
  expect(await newestVersion('1.0.0', unpublished, undefined, never)).toMatchObject({ status: 'unknown' });
});

test('a clone asks the repository it is from', async () => {
  const root = mkdtempSync(join(tmpdir(), 'lectern-update-'));
  try {
    const [origin, clone] = [join(root, 'origin'), join(root, 'clone')];
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        encoding: 'utf8',
      });
    git('init', '--quiet', origin);
    git('-C', origin, 'commit', '--quiet', '--allow-empty', '-m', 'a');
    git('clone', '--quiet', origin, clone);
    const ask: Ask = async (program, args) => execFileSync(program, args, { encoding: 'utf8' });
    expect(await newestVersion('1.2.0', PUBLISHED, clone, ask)).toMatchObject({ status: 'unknown' });
    for (const tag of ['v1.2.0', 'v1.10.0', 'v1.9.0', 'nightly']) git('-C', origin, 'tag', tag);
    expect(await newestVersion('1.2.0', PUBLISHED, clone, ask)).toEqual({
      status: 'newer',
      version: '1.2.0',
      newest: '1.10.0',
    });
    expect(await newestVersion('1.10.0', PUBLISHED, clone, ask)).toMatchObject({ status: 'current' });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('versions are compared by their numbers', () => {
  expect(isNewer('1.10.0', '1.9.9')).toBe(true);
  expect(isNewer('1.0.0', '1.0.0')).toBe(false);
  expect(isNewer('1.0.0', '1.0.0-rc.1')).toBe(true);
  expect(isNewer('1.0.0-rc.1', '1.0.0')).toBe(false);
});
