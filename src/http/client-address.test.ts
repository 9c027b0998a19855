import { describe, expect, it } from 'vitest';
import { ClientAddress } from './client-address.ts';

describe('ClientAddress', () => {
  it.each([
    ['no proxy trusted', [], '127.0.0.1', '203.0.113.1', '127.0.0.1'],
    ['one trusted', ['127.0.0.1'], '127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['what a client made up in front', ['127.0.0.1'], '127.0.0.1', '1.1.1.1, 203.0.113.1', '203.0.113.1'],
    [
      'two trusted in a row',
      ['10.0.0.0/8', '127.0.0.1'],
      '127.0.0.1',
      '203.0.113.1, 10.1.2.3',
      '203.0.113.1',
    ],
    ['an IPv4 peer on an IPv6 socket', ['127.0.0.1'], '::ffff:127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['IPv6', ['fd00::/8'], 'fd00::5', '2001:db8::1', '2001:db8::1'],
    ['nonsense from a trusted proxy', ['127.0.0.1'], '127.0.0.1', 'unknown', '127.0.0.1'],
    ['nothing said', ['127.0.0.1'], '127.0.0.1', null, '127.0.0.1'],
    ['an untrusted peer', ['10.0.0.0/8'], '203.0.113.9', '10.1.1.1', '203.0.113.9'],
  ])('%s', (_case, trusted, socket, header, wanted) => {
    expect(new ClientAddress(trusted).of(socket, header)).toBe(wanted);
  });

  it('does not follow a header without end', () => {
    const header = Array.from({ length: 100_000 }, () => '127.0.0.1').join(',');
    const started = performance.now();
    expect(new ClientAddress(['127.0.0.1']).of('127.0.0.1', header)).toBe('127.0.0.1');
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
