import { isLecternError } from '../../errors.ts';
import type { Journal, JournalGroup, JournalStep, PlannedStep } from '../../journal/journal.ts';
import { unifiedDiff } from '../../notes/diff.ts';
import { decodeText } from '../../notes/text.ts';
import { Pacer } from '../../search/pacer.ts';
import { factsAsBytes, factsBefore, factsFromBytes, withFacts } from '../../stores/facts.ts';
import type { Placement, Store } from '../../stores/store.ts';
import type { JournalView } from '../view/journal-view.ts';
import { PlanSize } from '../write/plan-size.ts';
import { VirtualVault } from './virtual-vault.ts';

/** Notes whose differences are shown; more would not fit into an answer. */
const DIFFS = 50;
/** Texts longer than this together, in bytes, take too long to compare. */
const DIFF_BYTES = 1_000_000;

export interface UndoConflict {
  readonly path: string;
  readonly reason: string;
}

export interface UndoPlan {
  readonly steps: readonly PlannedStep[];
  readonly conflicts: readonly UndoConflict[];
  readonly notes: readonly { readonly path: string; readonly action: string; readonly diff: string }[];
  /** Notes the caller does not see, whose links cannot be reverted because they were changed since. */
  readonly leftBehind: readonly string[];
}

/**
 * The steps that revert groups, newest first, each checked against the vault as the earlier steps would leave
 * it. A note that was changed since is a conflict; no plan is made.
 *
 * In notes the caller does not see, only links were updated by a change the caller sees completely: they are
 * reverted as far as possible, marked `unseen`. Other changes in those notes stay.
 *
 * @param groups newest first; a group that was undone already only after the undo that is reverted with it
 * @param view the caller's view of the journal; undefined for Lectern's own undo
 * @throws LecternError `too_large`
 */
export async function planUndo(
  groups: readonly JournalGroup[],
  journal: Journal,
  store: Store,
  view?: Pick<JournalView, 'sees'>,
  pacer = new Pacer(Number.POSITIVE_INFINITY),
): Promise<UndoPlan> {
  const size = new PlanSize();
  const vault = new VirtualVault(store);
  const steps: PlannedStep[] = [];
  const conflicts: UndoConflict[] = [];
  const notes: UndoPlan['notes'][number][] = [];
  const leftBehind: string[] = [];
  const sees = (step: JournalStep) => view?.sees(step) ?? true;
  for (const group of groups) {
    const isSeen = group.steps.every((step) => step.follows || sees(step));
    for (const step of [...group.steps].reverse()) {
      const unseen = !sees(step);
      if (pacer.due) await pacer.pause();
      if (step.state !== 'done' && step.state !== 'undone') {
        // It was changed in the meantime, and updated again after that.
        if (unseen && isSeen) leftBehind.push(step.path);
        continue;
      }
      if (unseen && !isSeen) continue;
      const inverse = await invert(step, journal, vault).catch((error: unknown): UndoConflict => {
        if (unseen && isLecternError(error)) return { path: step.path, reason: error.message };
        throw error;
      });
      if ('step' in inverse) size.add(inverse.step);
      if (unseen) {
        if ('reason' in inverse) leftBehind.push(inverse.path);
        else steps.push({ ...inverse.step, unseen });
      } else if ('reason' in inverse) conflicts.push(inverse);
      else {
        steps.push(inverse.step);
        notes.push({
          path: inverse.step.toPath ?? inverse.step.path,
          action: inverse.step.action,
          diff: notes.length < DIFFS && inverse.texts ? diffOf(...inverse.texts) : '',
        });
      }
    }
  }
  return { steps: withoutDetours(steps), conflicts, notes, leftBehind };
}

/** Replacements of one note in a row, without a move in between, are combined: only the last version is written. */
function withoutDetours(steps: readonly PlannedStep[]): readonly PlannedStep[] {
  const kept: PlannedStep[] = [];
  let places = new Map<string, number>();
  for (const step of steps) {
    if (step.action !== 'replace') {
      places = new Map();
      kept.push(step);
      continue;
    }
    const place = places.get(step.path);
    const first = place === undefined ? undefined : kept[place];
    if (place === undefined || first === undefined) {
      places.set(step.path, kept.length);
      kept.push(step);
    } else {
      const { afterEtag, after } = step;
      kept[place] = { ...first, ...(afterEtag !== undefined && { afterEtag }), ...(after && { after }) };
    }
  }
  return kept.filter((step) => step.action !== 'replace' || step.beforeEtag !== step.afterEtag);
}

type Inverse =
  | { readonly step: PlannedStep; readonly texts?: readonly [before: Uint8Array, after: Uint8Array] }
  | UndoConflict;

/** An update of links is reverted as an update. */
async function invert(step: JournalStep, journal: Journal, vault: VirtualVault): Promise<Inverse> {
  const inverse = await inverted(step, journal, vault);
  return step.follows && 'step' in inverse
    ? { ...inverse, step: { ...inverse.step, follows: true } }
    : inverse;
}

async function inverted(step: JournalStep, journal: Journal, vault: VirtualVault): Promise<Inverse> {
  const { path } = step;
  /** Folders the step created are removed with it. */
  const pruned = step.madeFolder === undefined ? {} : { prunedFolder: step.madeFolder };
  switch (step.action) {
    case 'create':
    case 'restore': {
      const now = await vault.bytes(path);
      if (!now) return { path, reason: 'it is no longer there' };
      if (step.afterEtag !== undefined && now.etag !== step.afterEtag) return changed(path);
      vault.remove(path);
      return { step: { action: 'trash', path, beforeEtag: now.etag, before: now.bytes, ...pruned } };
    }
    case 'replace': {
      const now = await vault.bytes(path);
      const before = journal.before(step.id);
      if (!now) return { path, reason: 'it is no longer there' };
      if (!before || step.beforeEtag === undefined)
        return { path, reason: 'its earlier text is no longer kept' };
      if (now.etag !== step.afterEtag) return changed(path);
      vault.put(path, { ...now, bytes: before, etag: step.beforeEtag });
      const planned: PlannedStep = {
        action: 'replace',
        path,
        beforeEtag: now.etag,
        afterEtag: step.beforeEtag,
        before: now.bytes,
        after: before,
      };
      return { step: planned, texts: [now.bytes, before] };
    }
    case 'facts': {
      const now = await vault.bytes(path);
      const before = journal.before(step.id);
      if (!now) return { path, reason: 'it is no longer there' };
      if (!before || step.beforeEtag === undefined)
        return { path, reason: 'what it was before is no longer kept' };
      if (now.etag !== step.afterEtag) return changed(path);
      const facts = withFacts(now.facts, factsFromBytes(before));
      vault.put(path, { ...now, etag: step.beforeEtag, facts });
      const planned: PlannedStep = {
        action: 'facts',
        path,
        beforeEtag: now.etag,
        afterEtag: step.beforeEtag,
        before: factsAsBytes(factsBefore(now.facts, factsFromBytes(before))),
        after: before,
      };
      return { step: planned, texts: [planned.before ?? before, before] };
    }
    case 'move':
    case 'move_folder': {
      const to = step.toPath ?? path;
      if (!(await vault.exists(to))) return { path: to, reason: 'it is no longer there' };
      const place = await vault.placeFor(path);
      const { path: back } = place;
      if (path.toLowerCase() !== to.toLowerCase() && (await vault.exists(back)))
        return { path: back, reason: 'something else is there now' };
      vault.move(to, back);
      return { step: { action: step.action, path: to, toPath: back, ...made(place), ...pruned } };
    }
    case 'make_folder':
      return { step: { action: 'remove_folder', path, ...pruned } };
    case 'remove_folder':
      return { step: { action: 'make_folder', path, ...made(await vault.placeFor(`${path}/x.md`)) } };
    case 'trash':
    case 'trash_on_desktop':
    case 'remove': {
      const place = await vault.placeFor(path);
      const { path: back } = place;
      if (await vault.exists(back)) return { path: back, reason: 'something else is there now' };
      const before = journal.before(step.id);
      if (before && step.beforeEtag !== undefined) vault.put(back, { bytes: before, etag: step.beforeEtag });
      const planned: PlannedStep = {
        action: 'restore',
        path: back,
        ...made(place),
        ...(step.trashPath !== undefined && { trashPath: step.trashPath }),
        ...(step.beforeEtag !== undefined && { afterEtag: step.beforeEtag }),
        ...(before && { before }),
      };
      return { step: planned };
    }
  }
}

function made({ madeFolder }: Placement): Pick<PlannedStep, 'madeFolder'> {
  return madeFolder === undefined ? {} : { madeFolder };
}

function changed(path: string): UndoConflict {
  return { path, reason: 'it was changed since' };
}

function diffOf(before: Uint8Array, after: Uint8Array): string {
  if (before.length + after.length > DIFF_BYTES) return '';
  const old = decodeText(before);
  const text = decodeText(after);
  return old.ok && text.ok ? unifiedDiff(old.text, text.text, { maxLines: 20 }).text : '';
}
