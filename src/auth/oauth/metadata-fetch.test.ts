import { describe, expect, it } from 'vitest';
import { fetchMetadata, isPublicAddress, publicLookup } from './metadata-fetch.ts';

describe('isPublicAddress', () => {
  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '172.15.0.1',
    '172.32.0.1',
    '2606:4700::1111',
    '2001:4860:4860::8888',
  ])('%s is', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('fetchMetadata', () => {
  it.each([
    'http://client.example/metadata',
    'https://127.0.0.1/metadata',
    'https://[::1]/metadata',
    'https://[::ffff:10.0.0.1]/metadata',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/metadata',
    'https://0x7f.1/metadata',
    'https://user@client.example/metadata',
    'https://client.example:8443/metadata',
    'file:///etc/passwd',
  ])('does not fetch %s', async (url) => {
    await expect(fetchMetadata(url)).rejects.toThrow(/https only|not public/);
  });

  it('does not follow a name that leads here', async () => {
    await expect(fetchMetadata('https://localhost/metadata')).rejects.toThrow(/public internet/);
    const resolved = await new Promise((resolve) => publicLookup('localhost', {}, (error) => resolve(error)));
    expect(resolved).toBeInstanceOf(Error);
  });
});
