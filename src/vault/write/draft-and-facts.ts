import type { PlannedStep } from '../../journal/journal.ts';
import { factsFromBytes } from '../../stores/facts.ts';
import type { NoteFacts } from '../../stores/store.ts';
import { decodeNote } from '../decode-note.ts';
import { draftOf } from '../large/note-worker.ts';
import type { VaultParts } from '../parts.ts';
import { type Draft, isCanvasChange, type NoteChange } from './draft.ts';
import { partChange } from './fact-changes.ts';
import { factsStep } from './facts-step.ts';

interface NoteBefore {
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly facts: NoteFacts | undefined;
}

/** The new text of a file, and the step that sets the facts kept beside it, if any of them changes. */
export async function draftAndFacts(
  parts: VaultParts,
  path: string,
  before: NoteBefore | undefined,
  change: NoteChange,
): Promise<{ draft: Draft; facts: PlannedStep | undefined }> {
  const { store, largeNotes, settings } = parts;
  const task = { path, before: before?.bytes, dialect: settings.dialect };
  if (!store.capabilities.facts || isCanvasChange(change))
    return { draft: await draftOf({ ...task, facts: before?.facts, change }, largeNotes), facts: undefined };
  // A new note has no facts yet, which counts as a version.
  const facts = before ? before.facts : {};
  const old = before && decodeNote(path, before.bytes);
  const parted = await partChange(change, old, facts ?? {}, parts);
  const draft =
    parted.text === undefined && before !== undefined
      ? untouched(before)
      : await draftOf({ ...task, facts, change: parted.text ?? change }, largeNotes);
  const note = { path, etag: draft.etag, bytes: draft.bytes, facts };
  return { draft, facts: (await factsStep(store, note, parted.facts)).step };
}

function untouched({ bytes, etag }: NoteBefore): Draft {
  const nothing = { notices: [], renamedHeadings: [], replaced: [] };
  return { bytes, etag, changed: false, added: 0, removed: 0, diff: '', diffCut: false, ...nothing };
}

/** The part of an answer about facts, which the note's text does not show. */
export function factsNotice({ after }: PlannedStep): string {
  const names = Object.keys(after ? factsFromBytes(after) : {}).map((name) => NAMES[name] ?? name);
  return `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} kept beside the text in this vault`;
}

/** Facts under the names callers use. */
const NAMES: Readonly<Record<string, string>> = {
  todo: 'completed and due',
  createdMs: 'created',
  updatedMs: 'updated',
  sourceUrl: 'source',
};
