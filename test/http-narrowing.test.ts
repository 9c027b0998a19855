import { beforeAll, describe, expect, it } from 'vitest';
import { HARBOUR_NOTES } from './support/door-setup.ts';
import { statelessRequest } from './support/protocol.ts';
import { bearer, callTool, openTestDoor, type TestDoor } from './support/test-door.ts';

/** What a token may not use it does not see. */

let served: TestDoor;

beforeAll(async () => {
  served = await openTestDoor(HARBOUR_NOTES);
  return () => served.close();
});

describe('a narrowed token', () => {
  it('sees and calls only the tools of its scope', async () => {
    const token = served.token('reader', 'vault:read', 'tool:!vault_status');
    const { body, headers } = statelessRequest('tools/list');
    const list = (await (await served.post(body, { ...headers, ...bearer(token) })).json()) as {
      result: { tools: { name: string; annotations: { readOnlyHint: boolean } }[] };
    };
    const names = list.result.tools.map((tool) => tool.name);
    expect(names).toContain('note_read');
    expect(names).not.toContain('vault_status');
    expect(list.result.tools.every((tool) => tool.annotations.readOnlyHint)).toBe(true);
    for (const hidden of ['note_write', 'vault_status']) {
      const answer = await callTool(served, token, hidden, { path: 'x.md', body: 'x' });
      expect(answer.error).toMatchObject({ code: -32602 });
      // The name that was asked for is in the message; what else there is, is not.
      expect(JSON.stringify(answer.error?.data)).not.toContain(hidden);
    }
  });

  it('finds nothing outside its folders: no list, count, link, tag, suggestion or error', async () => {
    const token = served.token('projects only', 'vault:write', 'path:Projects');
    const seen: unknown[] = [];
    for (const [name, args] of [
      ['note_list', {}],
      ['vault_search', { q: 'crane' }],
      ['tag_list', {}],
      ['link_backlinks', { path: 'Projects/Harbour.md' }],
      ['note_read', { path: 'Projects/Harbour.md', include: ['links', 'backlinks'] }],
      ['note_exists', { path: 'Private/Diary.md' }],
      ['vault_status', {}],
    ] as const) {
      seen.push((await callTool(served, token, name, args)).result?.structuredContent);
    }
    expect(seen[0]).toMatchObject({ total: 1 });
    expect(seen[1]).toMatchObject({ total: 1 });
    expect(seen[5]).toMatchObject({ exists: false });
    expect(seen[6]).toMatchObject({ notes: 1 });
    const said = JSON.stringify(seen.toSpliced(5, 1));
    expect(said).not.toMatch(/Private|"diary"|Nobody reads/);
  });

  it('answers a hidden note with the same words as one that is not there', async () => {
    const token = served.token('same words', 'vault:write', 'path:Projects');
    for (const tool of ['note_read', 'note_delete', 'note_outline']) {
      const hidden = await callTool(served, token, tool, { path: 'Private/Diary.md' });
      const absent = await callTool(served, token, tool, { path: 'Private/Dairy.md' });
      expect(JSON.stringify(hidden).replaceAll('Diary', 'Dairy')).toBe(JSON.stringify(absent));
    }
    expect(served.vault.file('Private/Diary.md')).toBe(HARBOUR_NOTES['Private/Diary.md']);
  });

  it('cannot move a note out of its folders, and the refusal is written down', async () => {
    const token = served.token('mover', 'vault:write', 'path:Projects');
    const moved = await callTool(served, token, 'note_move', {
      from: 'Projects/Harbour.md',
      to: 'Private/H.md',
    });
    expect(moved.result?.isError).toBe(true);
    expect(served.vault.file('Projects/Harbour.md')).toBe(HARBOUR_NOTES['Projects/Harbour.md']);
    await callTool(served, token, 'no_such_tool');
    const mine = (await served.audited()).filter((record) => record.who === 'mover');
    expect(mine).toMatchObject([
      { tool: 'note_move', paths: { from: 'Projects/Harbour.md', to: 'Private/H.md' } },
      { event: 'refused', tool: 'no_such_tool', outcome: 'refused' },
    ]);
  });

  it('offers nothing at all when it names a tool that is no more', async () => {
    const token = served.token('stale', 'vault:read', 'tool:note_raed');
    const { body, headers } = statelessRequest('tools/list');
    const response = await served.post(body, { ...headers, ...bearer(token) });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.text()).not.toContain('note_read');
  });

  it('is offered, completed and read no resource outside its folders', async () => {
    const token = served.token('resources', 'vault:read', 'path:Projects');
    const ask = async (method: string, params: Record<string, unknown> = {}) => {
      const { body, headers } = statelessRequest(method, params);
      const named = typeof params.uri === 'string' ? { 'Mcp-Name': params.uri } : undefined;
      return await (await served.post(body, { ...headers, ...named, ...bearer(token) })).text();
    };
    const listed = await ask('resources/list');
    expect(listed).toContain('Harbour');
    expect(listed).not.toMatch(/Private|Diary/);
    const read = await ask('resources/read', { uri: 'vault://Private/Diary.md' });
    const absent = await ask('resources/read', { uri: 'vault://Private/Dairy.md' });
    expect(read).toContain('-32602');
    expect(read.replaceAll('Diary', 'Dairy')).toBe(absent);
    const templates = await ask('resources/templates/list');
    expect(templates).toContain('uriTemplate');
    let completed = '';
    for (const [, uri = '', name = ''] of templates.matchAll(/"uriTemplate":"([^"]*\{\+?(\w+)[^"]*)"/g)) {
      completed += await ask('completion/complete', {
        ref: { type: 'ref/resource', uri },
        argument: { name, value: 'P' },
      });
    }
    expect(completed).toContain('Projects');
    expect(completed).not.toMatch(/Private|Diary/);
  });
});
