import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import { matches, type NameRule, type ToolSwitches } from '../operations/offer.ts';
import { CATALOGUES, type CatalogueEntry, catalogueNamed } from './list.ts';

/**
 * Checks the names of tools that are switched on or off, because a typing error would have no effect. Loads
 * the named catalogues, or one after another until the name is found.
 *
 * @throws LecternError `invalid_input` for a name or pattern that matches no tool of any catalogue
 */
export async function checkSwitches(
  { on, off }: ToolSwitches,
  catalogues: readonly CatalogueEntry[] = CATALOGUES,
): Promise<void> {
  for (const pattern of [...on, ...off]) await checkSwitch(pattern, catalogues);
}

async function checkSwitch(pattern: string, catalogues: readonly CatalogueEntry[]): Promise<void> {
  const slash = pattern.indexOf('/');
  const seen: string[] = [];
  for (const entry of catalogues) {
    if (slash !== -1 && !matches(entry.name, [pattern.slice(0, slash)])) continue;
    const { tools } = await entry.load();
    const names = tools.map(({ name }) => (slash === -1 ? name : `${entry.name}/${name}`));
    if (names.some((name) => matches(name, [pattern]))) return;
    seen.push(...names);
  }
  const meant = closest(pattern, seen);
  throw new LecternError('invalid_input', `No tool is named ${JSON.stringify(pattern)}.`, {
    next:
      meant === undefined
        ? 'Write a tool as <catalogue>/<tool>, or all of one as <catalogue>/*.'
        : `Did you mean ${meant}?`,
  });
}

/** @throws LecternError `invalid_input` for a rule that matches no catalogue */
export function checkCatalogues(
  { allow, deny }: NameRule,
  catalogues: readonly CatalogueEntry[] = CATALOGUES,
): void {
  for (const pattern of [...allow, ...deny])
    if (!catalogues.some(({ name }) => matches(name, [pattern]))) catalogueNamed(pattern, catalogues);
}

/** Whether the rules allow a catalogue. */
export function isServed(name: string, { allow, deny }: NameRule): boolean {
  return (allow.length === 0 || matches(name, allow)) && !matches(name, deny);
}
