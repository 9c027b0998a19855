import { onTestFinished } from 'vitest';
import { bearer, INITIALIZE, openTestDoor, type TestDoor } from './test-door.ts';

/** Set-up that the tests of the HTTP door have in common. */

/** Two notes that link to each other, one of them in a folder that not everybody may see. */
export const HARBOUR_NOTES = {
  'Projects/Harbour.md': '# Harbour\n\nThe crane waits. [[Diary]] #harbour\n',
  'Private/Diary.md': '# Diary\n\nNobody reads about the crane. [[Harbour]] #diary\n',
};

/** A door for the test that runs; closed when it is over. */
export async function doorForTest(...options: Parameters<typeof openTestDoor>): Promise<TestDoor> {
  const door = await openTestDoor(...options);
  onTestFinished(() => door.close());
  return door;
}

/** Opens a session of 2025-11-25. @returns the headers of every later request in it */
export async function openSession(door: TestDoor, token: string): Promise<Record<string, string>> {
  const response = await door.post(INITIALIZE, bearer(token));
  await response.text();
  return { ...bearer(token), 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
}
