/** JSON with keys in order, without those that are undefined: equal values have equal text, however they were made. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, held]) => held !== undefined);
  const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${sorted.map(([key, held]) => `${JSON.stringify(key)}:${canonicalJson(held)}`).join(',')}}`;
}
