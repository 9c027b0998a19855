import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ProcessWire } from '../support/process-wire.ts';
import { SDK_CLIENTS } from '../support/sdk-clients.ts';
import { bearer, openTestDoor } from '../support/test-door.ts';

/** The dialect with real clients, and over standard input and output. */

it.each(SDK_CLIENTS)(
  'the SDK client %s reads, writes, and is told of a conflict',
  async (_, create, Transport) => {
    const door = await openTestDoor({ 'A.md': 'a\n' });
    onTestFinished(() => door.close());
    const client = create();
    const headers = bearer(door.token('claude', 'vault:read', 'vault:write'));
    const url = new URL(`${door.mcpUrl}/silverbullet`);
    await client.connect(new Transport(url, { requestInit: { headers } }) as never);
    expect((await client.listTools()).tools).toHaveLength(9);
    const call = async (name: string, given: Record<string, unknown>) => {
      const { content } = (await client.callTool({ name, arguments: given })) as {
        content: { text: string }[];
      };
      return { ...(JSON.parse(content[0]?.text ?? '') as Record<string, unknown>), body: content[1]?.text };
    };
    const { body, lastModified } = (await call('read_page', { page: 'A' })) as Record<string, unknown>;
    expect(body).toBe('a\n');
    const given = { page: 'A', body: 'b\n', expected_last_modified: lastModified };
    expect(await call('write_page', given)).toMatchObject({ written: true });
    expect(await call('write_page', { ...given, body: 'c\n' })).toMatchObject({ error: 'conflict' });
    await client.close();
  },
);

it('over standard input and output nothing but messages is on stdout, the lines of the log on stderr', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lectern-silverbullet-stdio-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, 'space'));
  writeFileSync(join(home, 'space', 'A.md'), 'a\n');
  const wire = await new ProcessWire(
    ['--vault', join(home, 'space'), '--catalogue', 'silverbullet'],
    home,
  ).open();
  const call = async (name: string, given: Record<string, unknown>) =>
    (await wire.request('tools/call', { name, arguments: given })).result as { content: { text: string }[] };
  expect((await call('read_page', { page: 'A' })).content[1]?.text).toBe('a\n');
  await call('append_to_page', { page: 'A', content: 'b' });
  await call('read_page', { page: 'B' });
  expect(readFileSync(join(home, 'space', 'A.md'), 'utf8')).toBe('a\n\nb');
  expect(wire.stderr).toContain('[WRITE] action=append page="A.md" bytes=1\n');
  expect(wire.stderr).toContain('[ERROR] tool=read_page code=not_found page="B"\n');
  wire.child.stdin?.end();
  expect(await wire.exited).toBe(0);
});
