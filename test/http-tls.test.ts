import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDoor } from './support/test-door.ts';

/** TLS with a certificate made on the spot; skipped, and said so, where there is no openssl to make one. */

let folder: string;
let made = true;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-tls-'));
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...files, ...subject],
      {
        stdio: 'ignore',
      },
    );
  } catch {
    made = false;
    console.log('skipped: no openssl to make a certificate with');
  }
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('serves over TLS with the files it is given', async () => {
  if (!made) return;
  const flags = { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') };
  const door = await openTestDoor({ 'A.md': 'a\n' }, { flags });
  try {
    expect(door.door.url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const ca = readFileSync(flags.tlsCert);
      get(`${door.door.url}/healthz`, { ca }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
  } finally {
    await door.close();
  }
});

it('does not start with files it cannot use', async () => {
  const wrong = join(folder, 'wrong.pem');
  writeFileSync(wrong, 'not a certificate');
  for (const file of [wrong, join(folder, 'missing.pem')]) {
    await expect(openTestDoor({}, { flags: { tlsCert: file, tlsKey: file } })).rejects.toMatchObject({
      code: 'unavailable',
    });
  }
});
