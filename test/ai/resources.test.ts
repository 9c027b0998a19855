import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { McpWire } from '../support/mcp-wire.ts';
import { ERAS, type Era } from '../support/protocol.ts';
import { discard, openTestVault, type TestVault } from '../support/test-vault.ts';

let vault: TestVault;
beforeAll(async () => {
  vault = await openTestVault({
    'Boats/Jib.md': '#sail\n\nThe jib is a triangular sail set before the mast.\n',
    'Boats/Oar.md': 'An oar moves a boat when there is no wind at all.\n',
    'Kitchen.md': 'Sourdough rests for twelve hours before it is baked.\n',
  });
});
afterAll(async () => {
  await vault.close();
  discard(vault);
});

async function read(wire: McpWire, uri: string) {
  const { result, error } = await wire.request('resources/read', { uri });
  if (error) return error;
  const [content] = result.contents as { text: string }[];
  return JSON.parse(content?.text ?? '') as Record<string, unknown>;
}

describe.each(ERAS)('resources of the AI tools, %s', (era) => {
  it('are what the tools answer for a scope, however it is written', async () => {
    const wire = await McpWire.connect(vault.session, era);
    const asJson = encodeURIComponent(JSON.stringify({ path_glob: 'Boats/**' }));
    const summary = await read(wire, `ai://summary/${asJson}`);
    expect(summary).toMatchObject({ mode: 'extractive', notes_total: 2 });
    expect(await read(wire, 'ai://summary/path_glob%3DBoats%2F**')).toEqual(summary);
    expect(await read(wire, 'ai://moc/tag%3Dsail')).toMatchObject({
      notes_total: 1,
      groups: [{ items: [{ path: 'Boats/Jib.md' }] }],
    });
    expect(await read(wire, 'ai://moc/')).toMatchObject({ notes_total: 3 });
    expect(await read(wire, 'ai://summary/folder%3DBoats')).toMatchObject({
      data: { code: 'invalid_input' },
    });
    expect(await read(wire, 'ai://summary/%7Bbroken')).toMatchObject({ data: { code: 'invalid_path' } });
    const { result } = await wire.request('resources/templates/list');
    expect(JSON.stringify(result)).toContain('ai://summary/{scope}');
    await wire.close();
  });

  it('are not there where nobody answers', async () => {
    const wire = await McpWire.connect(vault.session, era, undefined, {}, 'none');
    expect(await read(wire, 'ai://summary/')).toMatchObject({ data: { code: 'ai_unavailable' } });
    await wire.close();
  });
});

it('tell when a note of the scope moves, and of no other', async () => {
  const era: Era = '2025-11-25';
  const wire = await McpWire.connect(vault.session, era);
  const boats = 'ai://summary/path_glob%3DBoats%2F**';
  const rest = 'ai://moc/path_glob%3DKitchen.md';
  for (const uri of [boats, rest])
    expect((await wire.request('resources/subscribe', { uri })).error).toBeUndefined();
  await vault.session.write(
    'Boats/Oar.md',
    { body: 'An oar is made of ash.\n' },
    { tool: 'note_write', dryRun: false },
  );
  const told = (uri: string) => (message: { method?: string; params?: Record<string, unknown> }) =>
    message.method === 'notifications/resources/updated' && message.params?.uri === uri;
  await wire.until(told(boats));
  await vault.session.write('Kitchen.md', { body: 'Bread.\n' }, { tool: 'note_write', dryRun: false });
  await wire.until(told(rest));
  expect(wire.messages.filter(told(boats))).toHaveLength(1);
  await wire.close();
});
