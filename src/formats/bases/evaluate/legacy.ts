/** Functions of the syntax before Obsidian 1.9.2, with their replacements. */
const LEGACY: Readonly<Record<string, string>> = {
  contains: 'x.contains(y)',
  containsAny: 'x.containsAny(y)',
  containsAll: 'x.containsAll(y)',
  not: '!x',
  empty: 'x.isEmpty()',
  notEmpty: '!x.isEmpty()',
  taggedWith: 'file.hasTag("tag")',
  linksTo: 'file.hasLink(y)',
  inFolder: 'file.inFolder("folder")',
  concat: 'x + y',
  join: 'x.join(", ")',
  len: 'x.length',
  title: 'x.title()',
  trim: 'x.trim()',
  round: 'x.round()',
  dateModify: 'date + "1d"',
  dateDiff: 'date1 - date2',
  year: 'date.year',
  month: 'date.month',
  day: 'date.day',
  hour: 'date.hour',
  minute: 'date.minute',
  second: 'date.second',
  index: 'x[0]',
  slice: 'x.slice(0, 1)',
};

/** A sentence that names the replacement of a removed function; undefined for any other name. */
export function legacyHint(name: string): string | undefined {
  const today = Object.hasOwn(LEGACY, name) ? LEGACY[name] : undefined;
  return today === undefined ? undefined : `${name}() is from before Obsidian 1.9.2; write ${today} instead.`;
}
