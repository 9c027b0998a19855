import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { requestText } from './request-text.ts';

function incoming(length?: string): PassThrough & IncomingMessage {
  const headers = length === undefined ? {} : { 'content-length': length };
  return Object.assign(new PassThrough(), { headers }) as unknown as PassThrough & IncomingMessage;
}

describe('requestText', () => {
  it('is the whole text, in however many pieces it comes', async () => {
    const bytes = Buffer.from('{"q":"naïve 猫 🐈"}');
    const request = incoming();
    const text = requestText(request, 100);
    for (const byte of bytes) request.write(Buffer.of(byte));
    request.end();
    expect(await text).toBe(bytes.toString());
  });

  it('is not guessed from bytes of another encoding', async () => {
    for (const bytes of [Buffer.from('{"q":"na\u00efve"}', 'latin1'), Buffer.from('ok')]) {
      const request = incoming();
      request.end(bytes);
      if (bytes.length === 2) expect(await requestText(request, 100)).toBe('ok');
      else await expect(requestText(request, 100)).rejects.toThrow(TypeError);
    }
  });

  it('is empty for an empty body', async () => {
    const request = incoming('0');
    request.end();
    expect(await requestText(request, 100)).toBe('');
  });

  it('reads nothing of a body that says it is too large', async () => {
    const request = incoming('101');
    request.write('x');
    expect(await requestText(request, 100)).toBeUndefined();
    expect(request.readableDidRead).toBe(false);
  });

  it('stops reading a body that turns out to be too large', async () => {
    const request = incoming();
    const text = requestText(request, 100);
    request.write('x'.repeat(60));
    request.write('x'.repeat(60));
    expect(await text).toBeUndefined();
    expect(request.isPaused()).toBe(true);
    expect(request.listenerCount('data')).toBe(0);
  });

  it('fails when the connection ends first, before or while it is read', async () => {
    const request = incoming('10');
    const text = requestText(request, 100);
    request.write('x');
    request.destroy();
    await expect(text).rejects.toThrow('connection ended');
    await expect(requestText(request, 100)).rejects.toThrow('connection ended');
  });
});
