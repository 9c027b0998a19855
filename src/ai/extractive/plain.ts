import { singleSpaced } from '../../notes/structure/single-spaced.ts';

/**
 * A sentence as rendered, on one line: links become their text, and the marks of emphasis, code and images
 * are removed. The quote beside it keeps the note's characters.
 */
export function plainText(markdown: string): string {
  const text = markdown
    .replace(/!\[\[[^\]]*\]\]|!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[\[([^\]|]*)\|([^\]]*)\]\]/g, '$2')
    .replace(/\[\[([^\]]*)\]\]/g, '$1')
    .replace(/\[([^\]]*)\]\((?:<[^>]*>|[^()\s]*(?:\([^()]*\)[^()\s]*)?)(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/(\*\*|__|~~|==|`)(?=\S)([^\n]*?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*?\S)\*(?![\w*])/g, '$1')
    .replace(/\n[ \t]*(?:>[ \t]?)+/g, ' ')
    .replace(/\s\^[\w-]+\s*$/, '');
  return singleSpaced(text).trim();
}
