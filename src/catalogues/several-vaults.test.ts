import { describe, expect, it } from 'vitest';
import { toolList } from '../mcp/tool-list.ts';
import type { ObjectSchema } from '../operations/call/json-schema.ts';
import { offered } from '../operations/offer.ts';
import { OPERATIONS } from '../operations/registry.ts';
import { indxCatalogue } from './indx/catalogue.ts';
import { indxIdentity } from './indx/identity.ts';
import { mounted } from './mounted.ts';
import { chooseVault, forVaults, identityForVaults } from './several-vaults.ts';

const NAMES = ['work', 'home'];
const several = forVaults(indxCatalogue, NAMES);

function tool(name: string) {
  const found = several.tools.find((each) => each.name === name);
  if (found === undefined) throw new Error(name);
  return found;
}

describe('forVaults', () => {
  it('leaves the catalogue and the handshake of one vault as they are, to the byte', () => {
    expect(forVaults(indxCatalogue, ['work'])).toBe(indxCatalogue);
    expect(identityForVaults(indxIdentity, ['work'])).toBe(indxIdentity);
    expect(JSON.stringify(toolList(indxCatalogue))).not.toContain('"vault":{');
  });

  it('asks for the vault in every tool, except where all of them can be shown', () => {
    for (const { name, listing } of several.tools) {
      const { properties, required } = listing.inputSchema as unknown as ObjectSchema;
      expect(properties.vault, name).toMatchObject({ type: 'string', enum: NAMES });
      expect(required?.includes('vault') ?? false, name).toBe(name !== 'vault_status');
    }
    const operations = offered(OPERATIONS, { scopes: ['vault:read'], allow: ['note_*'], deny: [] });
    const readers = mounted(indxCatalogue, { operations, vaults: NAMES });
    expect(readers.vaults).toEqual(NAMES);
  });

  it('keeps what is said at the handshake short, however many there are', () => {
    const many = Array.from({ length: 300 }, (_, n) => `a-rather-long-name-of-a-vault-number-${n}`);
    expect(Buffer.byteLength(identityForVaults(indxIdentity, NAMES).instructions ?? '')).toBeLessThan(2048);
    expect(identityForVaults(indxIdentity, NAMES).instructions ?? '').toContain('work, home');
    expect(identityForVaults(indxIdentity, many).instructions).toContain('290 more');
  });
});

describe('chooseVault', () => {
  it('takes the name out of the arguments, in whichever form they come', () => {
    for (const given of [{ vault: 'home', path: 'A' }, '{"vault":"home","path":"A"}']) {
      expect(chooseVault(several, tool('note_read'), given)).toEqual({
        vault: 'home',
        arguments: { path: 'A' },
        all: false,
      });
    }
    const given = { vault: 'x' };
    expect(chooseVault(indxCatalogue, tool('note_read'), given)).toEqual({
      vault: undefined,
      arguments: given,
      all: false,
    });
  });

  it('takes a status without a name as one of all, and nothing else', () => {
    expect(chooseVault(several, tool('vault_status'), undefined)).toMatchObject({ all: true });
    for (const given of [undefined, {}, { vault: null }, [], 'x']) {
      expect(() => chooseVault(several, tool('note_read'), given)).toThrow(
        expect.objectContaining({ code: 'invalid_input', next: 'Add vault: work or home.' }),
      );
    }
  });

  it('names the vault that was meant, or those there are', () => {
    const next = (vault: unknown) => {
      try {
        chooseVault(several, tool('note_write'), { vault });
      } catch (error) {
        return (error as { next?: string }).next;
      }
      return undefined;
    };
    expect(next('wrk')).toBe('Did you mean work?');
    expect(next('Home')).toBe('Did you mean home?');
    expect(next({})).toBe('Vaults: work, home.');
    expect(next('__proto__')).toBe('Vaults: work, home.');
  });
});
