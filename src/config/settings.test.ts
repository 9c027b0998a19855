import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstVault, resolveSettings } from './settings.ts';

describe('resolveSettings', () => {
  it('lets flags win over the environment, and LECTERN_VAULT over INDX_VAULT', () => {
    const environment = { LECTERN_VAULT: '/env', INDX_VAULT: '/indx', LECTERN_LOG_LEVEL: 'debug' };
    expect(resolveSettings({ vault: '/flag', logLevel: 'error' }, environment)).toMatchObject({
      vaults: [{ name: 'flag', location: resolve('/flag') }],
      logLevel: 'error',
    });
    expect(resolveSettings({}, environment)).toMatchObject({
      vaults: [{ location: resolve('/env') }],
      logLevel: 'debug',
    });
    expect(resolveSettings({}, { INDX_VAULT: '/indx' })).toMatchObject({
      vaults: [{ location: resolve('/indx'), rules: { readOnly: false } }],
      logLevel: 'warn',
    });
  });

  it('takes an empty value as unset, and ~ and relative paths as a person means them', () => {
    expect(firstVault(resolveSettings({ vault: '' }, { LECTERN_VAULT: '~/Notes' })).location).toBe(
      join(homedir(), 'Notes'),
    );
    expect(resolveSettings({ vault: 'notes', state: 'state' }, {})).toMatchObject({
      vaults: [{ location: resolve('notes') }],
      stateDir: resolve('state'),
    });
  });

  it('takes how far undo reaches back from any place, and only limits that can be meant', () => {
    const history = (...from: Parameters<typeof resolveSettings>) => resolveSettings(...from).history;
    const file = { history: { days: 7, megabytes: 10 } };
    expect(history({ vault: '/v' }, {})).toEqual({ days: 30, megabytes: 1024 });
    expect(history({ vault: '/v' }, {}, file)).toEqual({ days: 7, megabytes: 10 });
    expect(history({ vault: '/v', historySize: '5' }, { LECTERN_HISTORY_DAYS: '365' }, file)).toEqual({
      days: 365,
      megabytes: 5,
    });
    expect(() => history({ vault: '/v', historyDays: '0' }, {})).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });

  it('reads read-only from either place', () => {
    const readOnly = (...from: Parameters<typeof resolveSettings>) =>
      firstVault(resolveSettings(...from)).rules.readOnly;
    expect(readOnly({ vault: '/v', readOnly: true }, {})).toBe(true);
    expect(readOnly({ vault: '/v' }, { LECTERN_READ_ONLY: 'yes' })).toBe(true);
    expect(readOnly({ vault: '/v' }, { LECTERN_READ_ONLY: '0' })).toBe(false);
  });

  it('takes rules as lists from flags, or with commas from the environment', () => {
    const settings = resolveSettings(
      { vault: '/v', denyRead: ['Private', 'x/**'], withoutTools: ['note_delete'] },
      { LECTERN_DENY_READ: 'ignored', LECTERN_ALLOW_WRITE: 'Inbox, Daily/** ,', LECTERN_TOOLS: 'note_*' },
    );
    expect(firstVault(settings).rules).toEqual({
      readOnly: false,
      read: { allow: [], deny: ['Private', 'x/**'] },
      write: { allow: ['Inbox', 'Daily/**'], deny: [] },
    });
    expect(settings.tools).toEqual({ allow: ['note_*'], deny: ['note_delete'] });
  });

  it('says what is missing or wrong', () => {
    expect(() => resolveSettings({}, {})).toThrow(
      expect.objectContaining({ code: 'invalid_input', next: expect.stringContaining('LECTERN_VAULT') }),
    );
    expect(() => resolveSettings({ vault: '/v', logLevel: 'loud' }, {})).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });

  it('takes vaults by name from the file, each with its own rules on top of the general ones', () => {
    const file = {
      read_only: true,
      paths: { read: { deny: ['Private'] }, write: { allow: ['Inbox'] } },
      vaults: {
        work: '/w',
        home: {
          path: '/h',
          read_only: false,
          paths: { read: { deny: ['Diary'] }, write: { allow: ['Daily'] } },
        },
      },
    };
    expect(resolveSettings({}, {}, file).vaults).toEqual([
      {
        name: 'work',
        kind: 'folder',
        location: '/w',
        rules: {
          readOnly: true,
          read: { allow: [], deny: ['Private'] },
          write: { allow: ['Inbox'], deny: [] },
        },
      },
      {
        name: 'home',
        kind: 'folder',
        location: '/h',
        rules: {
          readOnly: false,
          read: { allow: [], deny: ['Private', 'Diary'] },
          write: { allow: ['Daily'], deny: [] },
        },
      },
    ]);
  });

  it('keeps the rules of the file for a vault that is named elsewhere, by name or by folder', () => {
    const file = { vaults: { home: { path: resolve('/h'), paths: { read: { deny: ['Diary'] } } } } };
    const denied = (vault: string) => firstVault(resolveSettings({ vault }, {}, file)).rules.read.deny;
    expect([denied('home'), denied('/h'), denied('x=/h'), denied('/other')]).toEqual([
      ['Diary'],
      ['Diary'],
      ['Diary'],
      [],
    ]);
    expect(firstVault(resolveSettings({}, { LECTERN_VAULT: 'home' }, file)).name).toBe('home');
  });

  it('lets environment and flags take the place of what the file says in general', () => {
    const file = {
      read_only: true,
      log_level: 'debug' as const,
      state: '/s',
      tools: { deny: ['note_delete'] },
      paths: { read: { allow: ['{a,b}/**'] } },
      vaults: { v: '/v' },
    };
    expect(resolveSettings({}, { LECTERN_DENY_READ: '', LECTERN_LOG_LEVEL: ' ' }, file)).toMatchObject({
      logLevel: 'debug',
      stateDir: '/s',
      tools: { allow: [], deny: ['note_delete'] },
      vaults: [{ rules: { readOnly: true, read: { allow: ['{a,b}/**'], deny: [] } } }],
    });
    const environment = { LECTERN_READ_ONLY: '0', LECTERN_ALLOW_READ: 'c', LECTERN_STATE: '/t' };
    expect(resolveSettings({ withoutTools: ['tag_rename'] }, environment, file)).toMatchObject({
      stateDir: resolve('/t'),
      tools: { deny: ['tag_rename'] },
      vaults: [{ rules: { readOnly: false, read: { allow: ['c'] } } }],
    });
  });

  it('gives a vault without a name that of its folder, and refuses two of one name or folder', () => {
    const names = (...vault: string[]) => resolveSettings({ vault }, {}).vaults.map(({ name }) => name);
    expect(names('/a/My notes (2)', 'b=/b', './x=y')).toEqual(['My-notes-2', 'b', 'x-y']);
    expect(names('/...')).toEqual(['vault']);
    expect(() => names('/a/x', '/b/x')).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    expect(() => names('a=/x', 'b=/x')).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});
