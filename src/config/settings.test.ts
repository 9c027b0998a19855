import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveSettings } from './settings.ts';

describe('resolveSettings', () => {
  it('lets flags win over the environment, and LECTERN_VAULT over INDX_VAULT', () => {
    const environment = { LECTERN_VAULT: '/env', INDX_VAULT: '/indx', LECTERN_LOG_LEVEL: 'debug' };
    expect(resolveSettings({ vault: '/flag', logLevel: 'error' }, environment)).toMatchObject({
      vault: resolve('/flag'),
      logLevel: 'error',
    });
    expect(resolveSettings({}, environment)).toMatchObject({ vault: resolve('/env'), logLevel: 'debug' });
    expect(resolveSettings({}, { INDX_VAULT: '/indx' })).toMatchObject({
      vault: resolve('/indx'),
      logLevel: 'warn',
      readOnly: false,
    });
  });

  it('takes an empty value as unset, and ~ and relative paths as a person means them', () => {
    expect(resolveSettings({ vault: '' }, { LECTERN_VAULT: '~/Notes' }).vault).toBe(join(homedir(), 'Notes'));
    expect(resolveSettings({ vault: 'notes', state: 'state' }, {})).toMatchObject({
      vault: resolve('notes'),
      stateDir: resolve('state'),
    });
  });

  it('reads read-only from either place', () => {
    expect(resolveSettings({ vault: '/v', readOnly: true }, {}).readOnly).toBe(true);
    expect(resolveSettings({ vault: '/v' }, { LECTERN_READ_ONLY: 'yes' }).readOnly).toBe(true);
    expect(resolveSettings({ vault: '/v' }, { LECTERN_READ_ONLY: '0' }).readOnly).toBe(false);
  });

  it('takes rules as lists from flags, or with commas from the environment', () => {
    const settings = resolveSettings(
      { vault: '/v', denyRead: ['Private', 'x/**'], withoutTools: ['note_delete'] },
      { LECTERN_DENY_READ: 'ignored', LECTERN_ALLOW_WRITE: 'Inbox, Daily/** ,', LECTERN_TOOLS: 'note_*' },
    );
    expect(settings.paths).toEqual({
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
});
