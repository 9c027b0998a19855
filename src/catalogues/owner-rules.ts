import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import { matches, type NameRule, type ToolSwitches } from '../operations/offer.ts';
import { CATALOGUES, type CatalogueEntry, catalogueNamed } from './list.ts';

/**
 * Checks the names of tools that are switched on or off: one with a typing error would leave a tool as
 * it was. Loads every catalogue, if there is anything to check.
 *
 * @throws LecternError `invalid_input` for a name or pattern that no tool of any catalogue has
 */
export async function checkSwitches(
  { on, off }: ToolSwitches,
  catalogues: readonly CatalogueEntry[] = CATALOGUES,
): Promise<void> {
  const patterns = [...on, ...off];
  if (patterns.length === 0) return;
  const loaded = await Promise.all(catalogues.map((entry) => entry.load()));
  const names = loaded.flatMap(({ tools }) => tools.map(({ name }) => name));
  const whole = loaded.flatMap(({ name, tools }) => tools.map((tool) => `${name}/${tool.name}`));
  for (const pattern of patterns) {
    if ([...names, ...whole].some((name) => matches(name, [pattern]))) continue;
    const meant = closest(pattern, pattern.includes('/') ? whole : names);
    throw new LecternError('invalid_input', `No tool is named ${JSON.stringify(pattern)}.`, {
      next:
        meant === undefined
          ? 'Write a tool as <catalogue>/<tool>, or all of one as <catalogue>/*.'
          : `Did you mean ${meant}?`,
    });
  }
}

/**
 * @throws LecternError `invalid_input` for a rule that names no catalogue
 */
export function checkCatalogues(
  { allow, deny }: NameRule,
  catalogues: readonly CatalogueEntry[] = CATALOGUES,
): void {
  for (const pattern of [...allow, ...deny])
    if (!catalogues.some(({ name }) => matches(name, [pattern]))) catalogueNamed(pattern, catalogues);
}

/** Whether a rule lets a catalogue be served. */
export function isServed(name: string, { allow, deny }: NameRule): boolean {
  return (allow.length === 0 || matches(name, allow)) && !matches(name, deny);
}
