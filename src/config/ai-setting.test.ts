import { describe, expect, it } from 'vitest';
import { resolveAi } from './ai-setting.ts';
import { SettingReader } from './setting-values.ts';

const resolve = (flags: object) => resolveAi(new SettingReader(flags, {}));
const hosted = { aiProvider: 'openai-compatible', aiModel: 'small' };

describe('who answers the AI tools', () => {
  it('is nobody by default, and needs nothing for extraction or the client', () => {
    expect(resolve({})).toMatchObject({ provider: 'none' });
    expect(resolve({ aiProvider: 'builtin' })).toMatchObject({ provider: 'builtin' });
    expect(resolve({ aiProvider: 'client' })).toMatchObject({ provider: 'client' });
  });

  it('is a provider with a model, and an address where it has none of its own', () => {
    expect(resolve({ ...hosted, aiUrl: 'http://127.0.0.1:11434/v1/' })).toMatchObject({
      model: 'small',
      baseUrl: 'http://127.0.0.1:11434/v1',
    });
    expect(resolve({ aiProvider: 'anthropic', aiModel: 'a' })).toMatchObject({ baseUrl: undefined });
    expect(() => resolve(hosted)).toThrow('no address');
    expect(() => resolve({ aiProvider: 'openai' })).toThrow('no model');
    expect(() => resolve({ aiProvider: 'someone' })).toThrow('cannot be');
  });

  it.each(['http://models.example/v1', 'http://192.168.1.5:8080', 'http://127.0.0.1.example.org/'])(
    'sends nothing in the clear to %s unless its host is allowed by name',
    (aiUrl) => {
      expect(() => resolve({ ...hosted, aiUrl })).toThrow('in the clear');
      const { hostname, host } = new URL(aiUrl);
      expect(resolve({ ...hosted, aiUrl, aiAllowHost: [hostname] }).baseUrl).toContain(host);
      expect(() => resolve({ ...hosted, aiUrl, aiAllowHost: ['example'] })).toThrow('in the clear');
    },
  );

  it.each(['https://key@models.example/v1', 'https://models.example/v1?key=secret', 'ftp://x', 'secret'])(
    'refuses %s without repeating it',
    (aiUrl) => {
      expect(() => resolve({ ...hosted, aiUrl })).toThrow(
        expect.objectContaining({
          code: 'invalid_input',
          message: expect.not.stringMatching(/secret|key@|models/),
        }),
      );
    },
  );
});
