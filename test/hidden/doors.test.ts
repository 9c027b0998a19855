import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_ACCESS } from '../../src/vault/access.ts';
import { McpWire } from '../support/mcp-wire.ts';
import { ERAS, type Era, type WireMessage } from '../support/protocol.ts';
import { restClient } from '../support/rest-client.ts';
import { Arbitrary, expectSame } from './compare.ts';
import { type Files, type TwoWorlds, twoWorlds, type World } from './vaults.ts';

/** What the doors tell beside the operations: resources, completion, prompts, subscriptions, events, ETags. */

const FILES: Files = {
  'Home.md':
    '---\ntags: [work, private/one]\nup: "[[Diary]]"\n---\n# Home\n\n[[Diary]] [[Plan]] ![[Photo.png]] alpha\n',
  'Open/Plan.md': '# Plan\n\n[[Home]] [[Private/Diary]] #work alpha bravo\n',
  'Open/Note.md': '# Note\n\n[[Therapy]] bravo\n',
  'Open/Board.canvas':
    '{"nodes":[{"id":"1","type":"file","file":"Private/Diary.md","x":0,"y":0,"width":1,"height":1}]}',
  'Prompts/Ask.md': '---\ndescription: Ask\n---\nAsk {{topic}}.\n',
  'Private/Diary.md': '# Diary\n\n[[Home]] [[Plan]] #private/one #secret alpha alpha\n',
  'Private/Plan.md': '# Plan\n\n[[Home]] alpha\n',
  'Private/Therapy.md': '# Therapy\n\nquokka\n',
  'Private/Photo.png': 'not a picture',
  'Prompts/Hidden.md': '---\ndescription: Hidden\n---\nHidden.\n',
};
const RULES = { ...OPEN_ACCESS, read: { allow: [], deny: ['Private', 'Prompts/Hidden.md'] } };
const PATHS = [...Object.keys(FILES), 'Nowhere.md', 'private/diary.md', 'Diary', 'Open'];

let worlds: TwoWorlds;
beforeAll(async () => {
  worlds = await twoWorlds(FILES, RULES, { byGrant: true });
});
afterAll(() => worlds.close());

async function both(work: (world: World) => Promise<unknown>, what: string): Promise<void> {
  const answers: unknown[] = [];
  for (const world of [worlds.behind, worlds.without]) answers.push(await work(world));
  expectSame([answers[0], new Arbitrary()], [answers[1], new Arbitrary()], what);
}

const said = ({ result, error }: WireMessage) => ({ result, error });

async function over<T>({ narrow }: World, era: Era, work: (wire: McpWire) => Promise<T>): Promise<T> {
  const wire = await McpWire.connect(narrow, era);
  try {
    return await work(wire);
  } finally {
    await wire.close();
  }
}

describe.each(ERAS)('MCP in %s', (era) => {
  const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');
  const uris = [
    ...PATHS.flatMap((path) => [
      `vault://${encoded(path)}`,
      `vault://graph/backlinks/${encoded(path)}`,
      `vault://graph/forward/${encoded(path)}`,
    ]),
    'vault://graph',
    'vault://graph?limit=1',
    'vault://tags',
    'vault://tags?prefix=private',
    'vault://search?q=alpha',
    'vault://search?q=alpha&limit=1',
    'vault://search?q=quoka',
  ];

  it('resources are listed and read alike', async () => {
    await both(async (world) => {
      return await over(world, era, async (wire) => {
        const answers: unknown[] = [];
        for (const method of ['resources/list', 'resources/templates/list', 'prompts/list', 'tools/list'])
          answers.push([method, said(await wire.request(method))]);
        for (const uri of uris) answers.push([uri, said(await wire.request('resources/read', { uri }))]);
        for (const name of ['Ask', 'Hidden', 'ask', 'hidden'])
          answers.push(said(await wire.request('prompts/get', { name, arguments: { topic: 'x' } })));
        return answers;
      });
    }, 'resources and prompts');
  });

  it('paths and tags are completed alike', async () => {
    await both(
      (world) =>
        over(world, era, async (wire) => {
          const answers: unknown[] = [];
          for (const value of ['', 'P', 'private', 'Diary', 's', 'Open/', 'T'])
            for (const [uri, name] of [
              ['vault://{+path}', 'path'],
              ['vault://tags{?prefix,limit,cursor}', 'prefix'],
              ['vault://search{?q,mode,path_glob,tag,limit,cursor}', 'tag'],
            ])
              answers.push(
                said(
                  await wire.request('completion/complete', {
                    ref: { type: 'ref/resource', uri },
                    argument: { name, value },
                  }),
                ),
              );
          return answers;
        }),
      'completion',
    );
  });
});

describe('what changes', () => {
  const tool = 'owner';
  const watched = [
    'vault://**',
    'vault://Private/**',
    'vault://Private/Diary.md',
    'vault://Private/New.md',
    'vault://Home.md',
    'vault://search?q=alpha',
    'vault://search?q=quokka',
    'vault://graph',
    'vault://graph/backlinks/Home.md',
    'vault://tags',
  ];
  const body = (text: string) => ({ body: `# ${text}\n\n[[Home]] alpha #secret\n` });

  /** Only where there is something hidden: the other vault has no such notes. */
  async function hiddenWork(from: string, to: string): Promise<void> {
    const owner = worlds.behind.vault.session({ kind: 'mcp', name: 'owner', session: 'owner' });
    await owner.write('Private/New.md', body('New'), { tool });
    await owner.write('Private/Diary.md', body('changed'), { tool });
    await owner.move(from, to, { tool });
    await owner.remove('Private/New.md', { tool });
  }

  it('is told alike over subscriptions and events, and nothing of hidden notes', async () => {
    const wires: McpWire[] = [];
    const points: string[] = [];
    for (const { narrow } of [worlds.behind, worlds.without]) {
      const wire = await McpWire.connect(narrow);
      await wire.request('resources/list');
      for (const uri of watched) await wire.request('resources/subscribe', { uri });
      wires.push(wire);
      points.push((await narrow.changesSince(undefined, 1)).next.id);
    }
    const told = (wire: McpWire | undefined) =>
      (wire?.messages ?? [])
        .filter(({ method }) => method?.startsWith('notifications/'))
        .map(({ method, params }) => `${method} ${params?.uri ?? ''}`);
    const kinds = (wire: McpWire | undefined) => [...new Set(told(wire))].sort();
    await hiddenWork('Private/Plan.md', 'Private/Deep/Plan.md');
    // What is told of the hidden work would have been told by the time this is.
    for (const { narrow } of [worlds.behind, worlds.without])
      await narrow.patch('Open/Note.md', [{ op: 'append_body', markdown: 'charlie' }], { tool });
    for (const wire of wires) await wire.until(({ params }) => params?.uri === 'vault://Open/Note.md');
    await expect.poll(() => kinds(wires[0])).toEqual(kinds(wires[1]));
    await hiddenWork('Private/Deep/Plan.md', 'Private/Plan.md');
    for (const { narrow } of [worlds.behind, worlds.without])
      await narrow.patch('Home.md', [{ op: 'append_body', markdown: 'alpha [[Note]]' }], { tool });
    await expect
      .poll(() => kinds(wires[1]))
      .toEqual(
        ['Home.md', 'Open/Note.md', 'graph', 'search?q=alpha'].map(
          (what) => `notifications/resources/updated vault://${what}`,
        ),
      );
    await expect.poll(() => kinds(wires[0])).toEqual(kinds(wires[1]));
    expect(told(wires[0]).join('\n')).not.toContain('Private');
    for (const wire of wires) await wire.close();

    const events = await Promise.all(
      [worlds.behind, worlds.without].map(async ({ narrow }, at) => {
        const response = await restClient(narrow).raw('GET', `/v1/events?since=${points[at]}`);
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        while (!text.includes('Home.md')) text += (await reader?.read())?.value ?? '';
        await reader?.cancel();
        return text.replace(/^id: [\w-]+$/gm, 'id').replace(/^: keep-alive$/gm, '');
      }),
    );
    expect(events[0]).toBe(events[1]);
  });
});

describe('REST', () => {
  const ROUTES = [
    '/v1/notes',
    '/v1/notes?limit=1',
    '/v1/search?q=alpha',
    '/v1/tags',
    '/v1/links/unresolved',
    '/v1/trash',
    '/v1/history',
    '/v1/vault/status',
    '/v1/properties',
    ...PATHS.map((path) => `/v1/notes/${encodeURIComponent(path)}`),
  ];

  it('answers with the same headers and bodies, and 304 to whoever comes back', async () => {
    for (const route of ROUTES)
      await both(async ({ narrow }) => {
        const client = restClient(narrow);
        const { status, headers, body } = await client.send('GET', route);
        const etag = headers.get('etag');
        const again =
          etag === null ? undefined : await client.send('GET', route, { headers: { 'if-none-match': etag } });
        const names = [...headers.keys()].filter((name) => name !== 'content-length').sort();
        return { status, names, body, again: again?.status };
      }, route);
  });
});
