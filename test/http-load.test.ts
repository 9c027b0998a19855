import { expect, it } from 'vitest';
import { lostWrites, ownNote, runLoad, SHARED_NOTE } from './support/http-load.ts';
import { openTestDoor } from './support/test-door.ts';

/** A short slice of bench/http-load.ts. */

const CLIENTS = 16;

it('16 clients read and write for 3 s: no error, no lost write', async () => {
  const clients = Array.from({ length: CLIENTS }, (_, client) => client);
  const reading = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`Notes/${n}.md`, `# Note ${n}\n\nSee [[${(n + 1) % 100}]].\n`]),
  );
  const writing = Object.fromEntries([SHARED_NOTE, ...clients.map(ownNote)].map((path) => [path, '# Log\n']));
  const door = await openTestDoor({ ...reading, ...writing }, { flags: { rateLimit: '0' } });
  try {
    const { errors, written } = await runLoad({
      url: door.mcpUrl,
      tokens: clients.map((client) => door.token(`client ${client}`, 'vault:write')),
      durationMs: 3000,
      notes: Object.keys(reading),
      words: ['note', 'log', 'client'],
    });
    expect(errors).toEqual([]);
    expect(written.get(SHARED_NOTE)?.length).toBeGreaterThanOrEqual(CLIENTS);
    expect(lostWrites(written, (path) => door.vault.file(path))).toBe(0);
  } finally {
    await door.close();
  }
});
