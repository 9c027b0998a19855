import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quote } from './client-setup.ts';
import { sampleVault } from './demo.ts';

/**
 * Example requests to an agent, from reading to changing many notes; the sample vault has the notes for each.
 */
const SAYINGS = [
  'What do my notes say about caulking? Say which notes it is from.',
  'Which tasks are open for the slipway, and who has them?',
  'Write a note in Ideas about a canvas dodger for Curlew, and link it to her.',
  'Rename "Steam bending" to "Bending with steam", and show me that no link broke.',
  'Add a task to the open day: Marta buys tar, due a week before it. Show me the line.',
  'Take back the last thing you changed.',
];

/**
 * Copies the sample vault to a temporary folder for experiments, and prints how to connect a client.
 *
 * @throws LecternError `unavailable` when this installation has no sample vault
 */
export async function openPlayground(): Promise<void> {
  const vault = join(await mkdtemp(join(tmpdir(), 'lectern-playground-')), 'Boatyard');
  await cp(sampleVault(), vault, { recursive: true });
  const folder = quote(vault, process.platform);
  process.stdout.write(`A copy of the sample vault, to be changed at will: ${vault}

Let a client in (it asks which; --client cursor names one):
  lectern init --vault ${folder}

Say to the agent:
${SAYINGS.map((saying) => `  ${saying}`).join('\n')}

See what it did, and take it back:
  lectern note history --vault ${folder}
  lectern note undo --help

When you have seen enough, the client forgets it with lectern init --remove, and the folder can be deleted.
`);
}
