import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProcessWire } from './support/process-wire.ts';
import { ERAS, type Era } from './support/protocol.ts';

/** Resources, prompts, completion and subscriptions of several vaults, as the built binary serves them. */

const root = mkdtempSync(join(tmpdir(), 'lectern-several-mcp-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder: string;

beforeEach(makeVaults);

function makeVaults(): void {
  folder = mkdtempSync(join(root, 'case-'));
  for (const [path, text] of [
    // Called like the other vault, so that each can be taken for the other.
    ['work/home/Plan.md', 'office plan\n'],
    ['work/Prompts/Stand up.md', '---\narguments: [who]\n---\nStand up, {{who}}.\n'],
    ['home/Plan.md', 'garden plan #green\n'],
    ['home/Daily/2026-05-04.md', 'weeds\n'],
    ['home/Prompts/Stand up.md', '---\ndescription: of home\n---\nSit down.\n'],
  ] as const)
    save(path, text);
}

function save(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function serve(era?: Era, ...more: string[]): Promise<ProcessWire> {
  const vaults = ['work', 'home'].flatMap((name) => ['--vault', `${name}=${join(folder, name)}`]);
  return new ProcessWire([...vaults, ...more], folder, era).open();
}

interface Status {
  readonly vaults: readonly { readonly vault: string; readonly index?: string }[];
}

async function indexed(wire: ProcessWire): Promise<void> {
  await expect
    .poll(async () => ((await wire.call('vault_status')) as unknown as Status).vaults, { timeout: 20_000 })
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ vault: 'work', index: 'ready' }),
        expect.objectContaining({ vault: 'home', index: 'ready' }),
      ]),
    );
}

interface Listed {
  readonly resources: readonly { readonly uri: string; readonly name: string }[];
  readonly nextCursor?: string;
  readonly _meta?: Record<string, unknown>;
}

async function everyPage(wire: ProcessWire): Promise<{ uris: Record<string, string>; last: Listed }> {
  const uris: Record<string, string> = {};
  for (let cursor: string | undefined; ; ) {
    const { result } = await wire.request('resources/list', cursor === undefined ? {} : { cursor });
    const page = result as unknown as Listed;
    for (const { uri, name } of page.resources) uris[name] = uri;
    cursor = page.nextCursor;
    if (cursor === undefined) return { uris, last: page };
  }
}

const updates = (wire: ProcessWire) =>
  wire.messages
    .filter(({ method }) => method === 'notifications/resources/updated')
    .map(({ params }) => String(params?.uri));

const text = async (wire: ProcessWire, uri: string) =>
  JSON.stringify((await wire.request('resources/read', { uri })).result ?? 'refused');

describe('over stdio', () => {
  let wire: ProcessWire;
  beforeAll(async () => {
    makeVaults();
    wire = await serve();
  });
  afterAll(async () => {
    expect(await wire.end()).toBe(0);
  });

  it('lists a tree by vault, every URI of which can be read', async () => {
    await indexed(wire);
    const { uris } = await everyPage(wire);
    expect(uris).toMatchObject({
      'work/tags': 'vault://tags',
      'work/home/Plan.md': 'vault://home/Plan.md',
      'home/graph': 'vaults://home/graph',
      'home/Plan.md': 'vaults://home/Plan.md',
    });
    for (const uri of Object.values(uris)) expect([uri, await text(wire, uri)]).not.toContain('"refused"');
    expect(await text(wire, 'vault://home/Plan.md')).toContain('office plan');
    expect(await text(wire, 'vaults://home/Plan.md')).toContain('garden plan');
    expect(await text(wire, 'vaults://work/home/Plan.md')).toContain('office plan');
    expect(await text(wire, 'vaults://home/search?q=garden&mode=lexical')).toContain('Plan.md');
    expect(await text(wire, 'vaults://home/tags')).toContain('green');
    const { error } = await wire.request('resources/read', { uri: 'vaults://attic/Plan.md' });
    expect(error?.message).toContain('Vaults: work, home.');
    expect((await wire.request('resources/list', { cursor: 'attic.' })).error?.code).toBe(-32602);
  });

  it('completes vaults, and what is in the one that was chosen', async () => {
    await indexed(wire);
    const complete = async (uri: string, name: string, value: string, chosen?: string) => {
      const context = chosen === undefined ? {} : { context: { arguments: { vault: chosen } } };
      const ref = { type: 'ref/resource', uri };
      const answer = await wire.request('completion/complete', {
        ref,
        argument: { name, value },
        ...context,
      });
      return (answer.result.completion as { values: string[] }).values;
    };
    const templates = JSON.stringify((await wire.request('resources/templates/list')).result);
    expect(templates).toContain('vaults://{vault}/graph/backlinks/{+path}');
    const named = 'vaults://{vault}/{+path}';
    expect(await complete(named, 'vault', 'h')).toEqual(['home']);
    expect(await complete(named, 'path', 'Daily', 'home')).toEqual(['Daily/2026-05-04.md']);
    expect(await complete(named, 'path', 'Daily', 'work')).toEqual([]);
    expect(await complete(named, 'path', 'Daily')).toEqual([]);
    expect(await complete('vault://{+path}', 'path', 'Plan')).toEqual(['home/Plan.md']);
  });

  it('has prompts for each vault, and those of the owner from all of them', async () => {
    await indexed(wire);
    const { prompts } = (await wire.request('prompts/list')).result as {
      prompts: { name: string; arguments: { name: string }[] }[];
    };
    const taken = Object.fromEntries(
      prompts.map(({ name, arguments: all }) => [name, all.map((a) => a.name)]),
    );
    expect(taken).toMatchObject({
      daily_note: ['vault', 'date'],
      stand_up: ['who'],
      home_stand_up: [],
    });
    const get = async (name: string, args: Record<string, string> = {}) =>
      JSON.stringify(await wire.request('prompts/get', { name, arguments: args }));
    expect(await get('stand_up', { who: 'Ann' })).toContain('Stand up, Ann.');
    expect(await get('home_stand_up')).toMatch(/Sit down\..*in the vault \\\\?"home/);
    const daily = await get('daily_note', { vault: 'home', date: '2026-05-04' });
    expect(daily).toContain('weeds');
    expect(daily).toContain('vaults://home/Daily/2026-05-04.md');
    expect(await get('daily_note', { date: '2026-05-04' })).toContain('There is no daily note');
    expect(await get('daily_note', { vault: 'hmoe' })).toContain('Did you mean home?');
    const { result } = await wire.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'daily_note' },
      argument: { name: 'vault', value: '' },
    });
    expect(result.completion).toMatchObject({ values: ['work', 'home'] });
  });
});

describe.each(ERAS)('subscriptions in %s', (era) => {
  async function subscribe(wire: ProcessWire, ...uris: string[]): Promise<void> {
    if (era !== '2026-07-28') {
      for (const uri of uris)
        expect((await wire.request('resources/subscribe', { uri })).error).toBeUndefined();
      return;
    }
    const id = wire.send('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
    await wire.until(() =>
      wire.messages.find(
        ({ method, params }) =>
          method === 'notifications/subscriptions/acknowledged' && JSON.stringify(params).includes(`:${id}`),
      ),
    );
  }

  it('tell of a note, a pattern and a live search in the vault they name, and of no other', async () => {
    const wire = await serve(era);
    await indexed(wire);
    const search = 'vaults://home/search?q=garden&mode=lexical';
    await subscribe(wire, 'vaults://home/Plan.md', 'vaults://home/Daily/**', 'vault://home/*', search);
    save('work/Plan.md', 'not asked for\n');
    save('work/Daily/x.md', 'not asked for\n');
    save('home/home/y.md', 'not asked for\n');
    save('home/Plan.md', 'garden plan, changed\n');
    save('home/Daily/2026-05-05.md', 'garden weeds\n');
    save('work/home/Plan.md', 'office plan, changed\n');
    const wanted = [
      'vault://home/Plan.md',
      'vaults://home/Daily/2026-05-05.md',
      'vaults://home/Plan.md',
      search,
    ];
    await expect.poll(() => [...new Set(updates(wire))].sort(), { timeout: 10_000 }).toEqual(wanted);
    expect(await wire.end()).toBe(0);
  });
});

describe('a vault that is not there', () => {
  it('is taken up by a subscription when it is back, which meanwhile tells of the others', async () => {
    rmSync(join(folder, 'home'), { recursive: true });
    const wire = await serve('2026-07-28');
    await wire.call('note_read', { vault: 'work', path: 'home/Plan.md' });
    wire.send('subscriptions/listen', {
      notifications: {
        resourceSubscriptions: ['vault://home/Plan.md', 'vaults://home/Plan.md', 'vaults://home/Daily/*'],
      },
    });
    await wire.until(() =>
      wire.messages.find(({ method }) => method === 'notifications/subscriptions/acknowledged'),
    );
    const told = () => [...new Set(updates(wire))];
    save('work/home/Plan.md', 'office plan, changed\n');
    await expect.poll(told, { timeout: 10_000 }).toEqual(['vault://home/Plan.md']);
    save('home/Plan.md', 'back\n');
    await expect.poll(told, { timeout: 10_000 }).toContain('vaults://home/Plan.md');
    save('home/Daily/x.md', 'new\n');
    await expect.poll(told, { timeout: 10_000 }).toContain('vaults://home/Daily/x.md');
    expect(await wire.end()).toBe(0);
  });

  it('is said to be missing, keeps nobody from the others, and comes back by itself', async () => {
    rmSync(join(folder, 'home'), { recursive: true });
    const wire = await serve();
    const work = () => wire.call('note_read', { vault: 'work', path: 'home/Plan.md' });
    expect(await work()).toMatchObject({ body: 'office plan\n' });
    const refused = await wire.call('note_read', { vault: 'home', path: 'Plan.md' });
    expect(refused).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^Vault home: .*does not exist/),
      details: { vault: 'home' },
      next: expect.stringContaining('connect the drive'),
    });
    await wire.until(() => (wire.stderr.includes('lectern: Vault home:') ? true : undefined));
    await expect.poll(async () => Object.keys((await everyPage(wire)).uris)).toContain('work/home/Plan.md');
    const { last, uris } = await everyPage(wire);
    expect(Object.keys(uris).join()).not.toMatch(/(^|,)home\//);
    expect(last._meta).toEqual({
      'lectern/unavailable': [expect.objectContaining({ vault: 'home', next: expect.any(String) })],
    });
    expect(JSON.stringify((await wire.request('prompts/list')).result)).toContain('stand_up');

    const before = wire.messages.length;
    save('home/Plan.md', 'garden plan, at last\n');
    const told = (list: string) =>
      wire.messages.slice(before).some(({ method }) => method === `notifications/${list}/list_changed`);
    await expect.poll(() => [told('resources'), told('prompts')], { timeout: 10_000 }).toEqual([true, true]);
    expect(await wire.call('note_read', { vault: 'home', path: 'Plan.md' })).toMatchObject({
      body: 'garden plan, at last\n',
    });
    await expect.poll(async () => Object.keys((await everyPage(wire)).uris)).toContain('home/Plan.md');
    expect(await wire.end()).toBe(0);
  });
});
