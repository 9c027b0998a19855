import { expect, test } from 'vitest';
import { parseLeniently } from './lenient.ts';

test('every setting that is wrong is told, with its own line, and the rest is read', () => {
  const source = [
    '# my notes',
    'vaults:',
    '  notes: ~/Notes',
    'read_onyl: true',
    'history:',
    '  days: 0',
    'http:',
    '  port: 99999',
    '  allow_hosts: [a, 3]',
    'log_level: info',
    '',
  ].join('\n');
  const { problems, file } = parseLeniently(source, '/c/lectern.yaml');
  expect(problems.map(({ message }) => /:(\d+):/.exec(message)?.[1])).toEqual(['4', '6', '8', '9']);
  expect(file?.values).toMatchObject({ log_level: 'info', vaults: { notes: expect.any(String) } });
});

test('a good file has no problems, and one that is no YAML has nothing else', () => {
  expect(parseLeniently('log_level: info\n', '/c').problems).toEqual([]);
  const broken = parseLeniently('vaults: [\n  "a', '/c');
  expect(broken.problems).toHaveLength(1);
  expect(broken.file).toBeUndefined();
});
