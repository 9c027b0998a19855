import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restClient, WHOLE } from '../../../test/support/rest-client.ts';
import { ACTOR, discard, openTestVault, type TestVault } from '../../../test/support/test-vault.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 0, 255, 1, 2]);
const LONG = Buffer.alloc(3_000_000, 'tide ');

let open: TestVault;
let rest: ReturnType<typeof restClient>;

beforeAll(async () => {
  open = await openTestVault({
    'img/pic 1.png': PNG,
    'Page.html': '<script>alert(1)</script>',
    'latin1.txt': Buffer.from([0xe9]),
    'empty.bin': '',
    'long.txt': LONG,
    'A.md': '\u{feff}alpha\r\n',
    'Secret/s.png': PNG,
    'Odd %ff?#ä.bin': 'odd',
    "it's (1)*.bin": 'x',
  });
  const hidden = open.vault.session(ACTOR, [
    { readOnly: false, read: { allow: [], deny: ['Secret'] }, write: { allow: [], deny: [] } },
  ]);
  rest = restClient(hidden);
});

afterAll(async () => {
  await open.close();
  discard(open);
});

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  Promise.resolve(rest.raw(method, `/v1/files/${path}`, { headers }));
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('files', () => {
  it('come as they are stored, with their type and what keeps a browser safe', async () => {
    const picture = await get('img/pic%201.png');
    expect(picture.status).toBe(200);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'content-disposition': "inline; filename*=UTF-8''pic%201.png",
      'content-length': '10',
      'content-location': '/v1/files/img/pic%201.png',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'image/png',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(await bytesOf(picture)).toEqual(PNG);
    expect((await bytesOf(await get('long.txt'))).equals(LONG)).toBe(true);
    expect(await bytesOf(await get('empty.bin'))).toHaveLength(0);
    expect(await (await get('Odd%20%25ff%3F%23%C3%A4.bin')).text()).toBe('odd');
    expect((await get("it's (1)*.bin")).headers.get('content-disposition')).toBe(
      "inline; filename*=UTF-8''it%27s%20%281%29%2A.bin",
    );
    const types = ['Page.html', 'latin1.txt', 'A.md', 'empty.bin'].map(async (path) =>
      (await get(path)).headers.get('content-type'),
    );
    expect(await Promise.all(types)).toEqual([
      'text/html; charset=utf-8',
      'text/plain',
      'text/markdown; charset=utf-8',
      'application/octet-stream',
    ]);
  });

  it('have the etag that writes take, and answer by it', async () => {
    const { etag } = await open.session.open('A.md');
    expect((await get('A.md')).headers.get('etag')).toBe(`"${etag}"`);
    expect((await bytesOf(await get('A.md'))).toString()).toBe('\u{feff}alpha\r\n');
    const tag = (await get('long.txt')).headers.get('etag') ?? '';
    const status = async (headers: Record<string, string>) => (await get('long.txt', headers)).status;
    expect(await status({ 'if-none-match': `"x", W/${tag}` })).toBe(304);
    expect(await status({ 'if-match': tag })).toBe(200);
    expect(await status({ 'if-match': '"0"', 'if-none-match': tag })).toBe(412);
    expect(await status({ 'if-match': tag, 'if-none-match': tag })).toBe(304);
  });

  it('are answered in parts', async () => {
    const tag = (await get('img/pic%201.png')).headers.get('etag') ?? '';
    const part = await get('img/pic%201.png', { range: 'bytes=4-7', 'if-range': tag });
    expect([part.status, part.headers.get('content-range'), part.headers.get('content-length')]).toEqual([
      206,
      'bytes 4-7/10',
      '4',
    ]);
    expect(await bytesOf(part)).toEqual(PNG.subarray(4, 8));
    const joined = [];
    for (let at = 0; at < LONG.length; at += 1_000_001)
      joined.push(await bytesOf(await get('long.txt', { range: `bytes=${at}-${at + 1_000_000}` })));
    expect(Buffer.concat(joined).equals(LONG)).toBe(true);
    const none = await get('img/pic%201.png', { range: 'bytes=10-' });
    expect([none.status, none.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    const old = await get('img/pic%201.png', { range: 'bytes=4-7', 'if-range': '"old"' });
    expect([old.status, (await bytesOf(old)).length]).toEqual([200, 10]);
  });

  it('say their size to HEAD, and nothing else', async () => {
    const head = await get('long.txt', { range: 'bytes=0-1' }, 'HEAD');
    expect([head.status, head.headers.get('content-length'), (await bytesOf(head)).length]).toEqual([
      200,
      String(LONG.length),
      0,
    ]);
    expect((await get('No.png', {}, 'HEAD')).status).toBe(404);
  });

  it('are under the path rules: hidden is as absent', async () => {
    const hidden = await get('Secret/s.png');
    const absent = await get('Secret/t.png');
    expect([hidden.status, absent.status]).toEqual([404, 404]);
    expect((await hidden.text()).replaceAll('s.png', 't.png')).toBe(await absent.text());
    for (const path of ['..%2F..%2Fetc%2Fpasswd', '.obsidian/app.json', '%00'])
      expect([path, (await get(path)).status]).toEqual([path, 400]);
    expect((await get('%ff')).status).toBe(400);
  });

  it('are for callers who may read notes, and are not written here', async () => {
    const operations = WHOLE.operations.filter(({ name }) => name !== 'note_read');
    const narrow = restClient(open.session, { operations });
    expect((await narrow.raw('GET', '/v1/files/img/pic%201.png')).status).toBe(403);
    const put = await rest.raw('PUT', '/v1/files/img/pic%201.png', { body: 'x' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('go on after answers that nobody read to their end', async () => {
    for (let count = 0; count < 12; count++) {
      const answer = await get('long.txt');
      await answer.body?.cancel();
    }
    const unread = await Promise.all(Array.from({ length: 12 }, () => get('long.txt')));
    expect(unread.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });
});
