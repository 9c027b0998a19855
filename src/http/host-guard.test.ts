import { describe, expect, it } from 'vitest';
import { HostGuard } from './host-guard.ts';

function guard(over: Partial<ConstructorParameters<typeof HostGuard>[0]> = {}) {
  return new HostGuard({
    host: '127.0.0.1',
    publicUrl: undefined,
    allowedHosts: [],
    allowedOrigins: [],
    ...over,
  });
}

function check(target: HostGuard, host: string, origin?: string) {
  return target.check(new Headers({ host, ...(origin !== undefined && { origin }) }));
}

describe('HostGuard', () => {
  it('knows the public name, and only that, beside loopback', () => {
    const target = guard({ publicUrl: new URL('https://notes.example/lectern') });
    expect(check(target, 'notes.example')).toBe('good');
    expect(check(target, 'NOTES.example:443', 'https://notes.example')).toBe('good');
    expect(check(target, 'notes.example', 'http://notes.example')).toBe('bad_origin');
    expect(check(target, 'notes.example.evil.example')).toBe('bad_host');
  });

  it('takes addresses only where it listens on more than loopback', () => {
    expect(check(guard(), '192.168.1.5:7862')).toBe('bad_host');
    expect(check(guard({ host: '0.0.0.0' }), '192.168.1.5:7862')).toBe('good');
    expect(check(guard({ host: '::' }), '[fe80::1]:7862')).toBe('good');
    expect(check(guard({ host: '0.0.0.0' }), 'rebound.example')).toBe('bad_host');
    expect(check(guard({ host: '0.0.0.0' }), 'localhost', 'http://localhost:3000')).toBe('bad_origin');
  });

  it.each([
    '',
    ' ',
    'a b',
    'localhost:',
    'localhost:x',
    '[::1',
    'localhost/..',
    'user@localhost',
    'localhost,evil',
  ])('refuses the malformed host %j', (host) => {
    expect(check(guard(), host)).toBe('bad_host');
  });

  it('takes more names that the owner lists', () => {
    const target = guard({ allowedHosts: ['nas.local'], allowedOrigins: ['https://app.example'] });
    expect(check(target, 'nas.local:7862', 'https://app.example')).toBe('good');
    expect(target.mayRead('https://app.example')).toBe(true);
    expect(target.mayRead('http://localhost:6274')).toBe(false);
  });
});
