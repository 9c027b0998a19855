const LENGTH = 240;
const LEAD = 80;

/** The text around the first word of the query, its whitespace collapsed. */
export function snippetOf(body: string, query: string): string {
  const text = body.replace(/\s+/g, ' ').trim();
  if (text.length <= LENGTH) return text;
  const lower = text.toLowerCase();
  const hits = keywordsOf(query)
    .map((keyword) => lower.indexOf(keyword.toLowerCase()))
    .filter((at) => at >= 0);
  if (hits.length === 0) return `${text.slice(0, LENGTH)}…`;
  const start = Math.max(0, Math.min(...hits) - LEAD);
  const end = start + LENGTH;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function keywordsOf(query: string): string[] {
  return query
    .split(/\s+/)
    .filter((word) => !word.includes(':') && !word.startsWith('-'))
    .map((word) => word.replace(/^["*]+|["*]+$/g, ''))
    .filter((word) => word !== '');
}
