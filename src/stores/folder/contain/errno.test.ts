import { expect, test } from 'vitest';
import { LecternError } from '../../../errors.ts';
import { storeError } from './errno.ts';

test.each([
  ['ENOENT', 'not_found'],
  ['EEXIST', 'exists'],
  ['ENOSPC', 'unavailable'],
  ['EDQUOT', 'unavailable'],
  ['EACCES', 'unavailable'],
  ['EROFS', 'read_only'],
  ['ENAMETOOLONG', 'invalid_path'],
  ['EILSEQ', 'invalid_path'],
  ['EISDIR', 'invalid_path'],
  ['ENOTDIR', 'invalid_path'],
  ['ELOOP', 'forbidden'],
  ['EFBIG', 'too_large'],
  ['EMFILE', 'unavailable'],
  ['EBUSY', 'unavailable'],
  ['EIO', 'unavailable'],
  ['ESTALE', 'unavailable'],
])('%s is %s, with a sentence, a next step and no path of the machine', (system, code) => {
  const cause = Object.assign(new Error(`${system}: open '/home/me/vault/n.md'`), { code: system });
  const error = storeError(cause, 'n.md');
  expect(error.code).toBe(code);
  expect(error.details).toEqual({ path: 'n.md', system });
  expect(error.message).toMatch(/"n\.md".*\.$/);
  expect(error.next).toMatch(/\.$/);
  expect(JSON.stringify([error.message, error.next, error.details])).not.toContain('/home/me');
  expect(error.cause).toBe(cause);
});

test('a Lectern error stays as it is', () => {
  const error = new LecternError('conflict', 'Changed.');
  expect(storeError(error, 'n.md')).toBe(error);
});
