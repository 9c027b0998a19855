import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpWire } from '../../test/support/mcp-wire.ts';
import { ERAS } from '../../test/support/protocol.ts';
import { discard, openTestVault, type TestVault } from '../../test/support/test-vault.ts';
import { indxCatalogue } from '../catalogues/indx/catalogue.ts';
import { OPEN_ACCESS } from '../vault/access.ts';
import { addDays, dayOf, mondayOf, startOfDay } from './prompt-dates.ts';

const today = dayOf(new Date());
let open: TestVault;

beforeAll(async () => {
  open = await openTestVault({
    'Harbour.md': '# Harbour\n\nSee [[Tide tabel]]. #work\n',
    'Tide table.md': 'Slack water. #work #sea\n',
    'Alone.md': 'Nobody links here.\n',
    'Old.md': 'From last year, mentions Alone.\n',
    [`Daily/${today}.md`]: '# Today\n\n- [ ] lift\n',
    'Prompts/Meeting notes.md':
      '---\ntitle: Meeting\ndescription: Notes of a meeting\narguments:\n  - name: who\n    description: With whom\n    required: true\n  - topic\ntools: [note_write, no_such_tool]\n---\nWrite up {{who}} about {{ topic }}{{other}}.\n',
    'Prompts/plain.md': 'Just this text.\n',
  });
  const old = new Date(2020, 4, 3, 12);
  utimesSync(join(open.folder, 'Old.md'), old, old);
  await open.close();
  open = await openTestVault({}, { reopen: open });
});

afterAll(async () => {
  await open.close();
  discard(open);
});

interface Filled {
  readonly messages: readonly {
    role: string;
    content: { type: string; text?: string; resource?: { uri: string } };
  }[];
  readonly _meta?: Record<string, unknown>;
}

async function get(wire: McpWire, name: string, given: Record<string, string> = {}): Promise<Filled> {
  const { result, error } = await wire.request('prompts/get', { name, arguments: given });
  if (error !== undefined) throw new Error(error.message);
  return result as unknown as Filled;
}

const text = async (wire: McpWire, name: string, given?: Record<string, string>) =>
  (await get(wire, name, given)).messages[0]?.content.text ?? '';

describe.each(ERAS)('prompts in %s', (era) => {
  let wire: McpWire;

  beforeAll(async () => {
    wire = await McpWire.connect(open.session, era);
  });

  afterAll(() => wire.close());

  it('lists the built-in prompts and the owner’s own', async () => {
    const { result } = await wire.request('prompts/list');
    const prompts = result.prompts as { name: string; arguments: object[]; _meta?: object }[];
    expect(prompts.map(({ name }) => name)).toEqual([
      'vault_summary',
      'daily_note',
      'link_orphans',
      'cleanup_unresolved_links',
      'weekly_review',
      'meeting_notes',
      'plain',
    ]);
    expect(prompts[5]).toMatchObject({
      title: 'Meeting',
      arguments: [
        { name: 'who', description: 'With whom', required: true },
        { name: 'topic', required: false },
      ],
    });
    expect(prompts[2]?._meta).toEqual({ 'lectern/tools': expect.arrayContaining(['link_orphans']) });
  });

  it('fills in live data', async () => {
    const summary = await text(wire, 'vault_summary');
    expect(summary).toContain('7 notes');
    expect(summary).toMatch(/#work 2\n- #sea 1/);
    expect(summary).toContain('Tools for this: vault_status');
    expect(await text(wire, 'link_orphans', { limit: '1' })).toMatch(
      /Orphans \(1 of \d\):\n- Alone\.md "Alone" — .*Old\.md/,
    );
    const cleanup = await text(wire, 'cleanup_unresolved_links');
    expect(cleanup).toContain('[[Tide tabel]] ×1 in Harbour.md:3');
    expect(cleanup).toContain('Propose only');
    expect(await text(wire, 'cleanup_unresolved_links', { dry_run: 'false' })).toContain('carry it out');
    const review = await text(wire, 'weekly_review');
    expect(review).toContain('- Harbour.md');
    expect(review).not.toContain('Old.md');
    expect(await text(wire, 'weekly_review', { week_of: '2020-05-01' })).toMatch(
      /2020-04-27 to 2020-05-03[\s\S]*- Old\.md/,
    );
  });

  it('opens the daily note or says how to create it', async () => {
    const { messages } = await get(wire, 'daily_note');
    expect(messages[1]?.content).toMatchObject({
      type: 'resource',
      resource: { uri: `vault://Daily/${today}.md`, text: '# Today\n\n- [ ] lift\n' },
    });
    const other = await get(wire, 'daily_note', { date: '2020-02-29' });
    expect(other.messages).toHaveLength(1);
    expect(other.messages[0]?.content.text).toContain('Create Daily/2020-02-29.md');
  });

  it('fills the owner’s own prompts', async () => {
    const { messages, _meta } = await get(wire, 'meeting_notes', { who: '$& and Jo' });
    expect(messages[0]?.content.text).toBe('Write up $& and Jo about .\n\nTools for this: note_write.');
    expect(_meta).toMatchObject({ 'lectern/tools': ['note_write'] });
    expect(await text(wire, 'plain')).toBe('Just this text.');
  });

  it.each([
    ['meeting_notes', {}, 'missing who'],
    ['meeting_notes', { who: 'x', whom: 'y' }, 'unknown whom'],
    ['daily_note', { date: '2021-02-29' }, 'is not a day'],
    ['link_orphans', { limit: '0' }, 'not a number'],
    ['cleanup_unresolved_links', { dry_run: 'perhaps' }, 'neither true nor false'],
    ['weekly_revew', {}, 'Did you mean weekly_review?'],
  ])('%s with %j is an error that says what to do', async (name, given, words) => {
    const { error } = await wire.request('prompts/get', { name, arguments: given });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
  });

  it('completes arguments', async () => {
    const complete = async (name: string, argument: string, value: string) => {
      const ref = { type: 'ref/prompt', name };
      const { result } = await wire.request('completion/complete', {
        ref,
        argument: { name: argument, value },
      });
      return (result.completion as { values: string[] }).values;
    };
    expect((await complete('daily_note', 'date', ''))[0]).toBe(today);
    expect(await complete('cleanup_unresolved_links', 'dry_run', 'f')).toEqual(['false']);
    expect(await complete('meeting_notes', 'who', '')).toEqual([]);
  });
});

it('does not offer prompts whose data the caller may not see, nor names tools that are not there', async () => {
  const tools = indxCatalogue.tools.filter(({ name }) => !['link_orphans', 'note_patch'].includes(name));
  const wire = await McpWire.connect(open.session, '2025-11-25', { ...indxCatalogue, tools });
  const { result } = await wire.request('prompts/list');
  expect((result.prompts as { name: string }[]).map(({ name }) => name)).not.toContain('link_orphans');
  expect(await text(wire, 'weekly_review')).not.toMatch(/Tools for this:.*note_patch/);
  writeFileSync(join(open.folder, 'Prompts/later.md'), 'Later.\n');
  await wire.until((message) => message.method === 'notifications/prompts/list_changed');
  expect(await text(wire, 'later')).toBe('Later.');
  await wire.close();
});

it('knows days and weeks', () => {
  const day = (text: string) => startOfDay(text, new Date());
  expect(dayOf(mondayOf(day('2026-05-03')))).toBe('2026-04-27');
  expect(dayOf(mondayOf(day('2026-05-04')))).toBe('2026-05-04');
  expect(dayOf(addDays(day('2026-12-31'), 1))).toBe('2027-01-01');
  expect(dayOf(startOfDay(undefined, new Date(2026, 0, 5, 23, 59)))).toBe('2026-01-05');
  for (const text of ['2026-13-01', '2026-00-10', 'today', '2026-1-1'])
    expect(() => day(text)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
});

describe('the daily note of a vault with a template', () => {
  const settings = '{"folder":"J","format":"YYYY/MM/YYYY-MM-DD","template":"T/Daily"}';
  const template = '---\ncreated: {{date}}\n---\n# {{title}}, {{date:dddd}}\n## Log\n';

  async function asked(files: Record<string, string>, rules = OPEN_ACCESS): Promise<string> {
    const vault = await openTestVault({ '.obsidian/daily-notes.json': settings, ...files }, { rules });
    const wire = await McpWire.connect(vault.session, ERAS[0]);
    try {
      return await text(wire, 'daily_note', { date: '2026-11-03' });
    } finally {
      await wire.close();
      await vault.close();
      discard(vault);
    }
  }

  it('is begun from the template, filled in', async () => {
    const prompt = await asked({ 'T/Daily.md': template });
    expect(prompt).toContain('Create J/2026/11/2026-11-03.md');
    expect(prompt).toContain('---\ncreated: 2026-11-03\n---\n# 2026-11-03, Tuesday\n## Log\n');
  });

  it('takes the format of dates from the templates', async () => {
    const formats = { '.obsidian/templates.json': '{"dateFormat":"D.M.YYYY"}' };
    expect(await asked({ 'T/Daily.md': template, ...formats })).toContain('created: 3.11.2026\n');
  });

  it('goes without when the template is missing, or not for the caller to see', async () => {
    const rules = { ...OPEN_ACCESS, read: { allow: [], deny: ['T/**'] } };
    for (const prompt of [await asked({}), await asked({ 'T/Daily.md': template }, rules)]) {
      expect(prompt).toContain('with the headings a day needs');
      expect(prompt).not.toContain('## Log');
    }
  });
});
