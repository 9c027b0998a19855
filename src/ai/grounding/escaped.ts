/** Characters that begin markup in Markdown, HTML or wiki links. */
const ACTIVE = /[\\[\]<>`*_~|$^#{}!]/g;
/** A scheme or host that some programs turn into a link. */
const AUTOLINK = /\b([a-z][a-z0-9+.-]{1,20}):(?=\/\/|\S+@|data:|[a-z0-9])/gi;
const SCHEMES =
  /^(?:https?|ftp|file|mailto|javascript|data|vbscript|obsidian|tel|sms|ssh|ws|wss|blob|view-source)$/i;

/**
 * Escapes a model's text so that it stays plain text wherever Markdown is rendered: it cannot create a link,
 * image, embed or HTML, and nothing is loaded.
 */
export function escapedText(text: string): string {
  return text
    .replace(CONTROLS, '')
    .replace(ACTIVE, (sign) => `\\${sign}`)
    .replace(AUTOLINK, (whole, scheme: string) => (SCHEMES.test(scheme) ? `${scheme}\\:` : whole))
    .replace(/\bwww\./gi, (www) => `${www.slice(0, 3)}\\.`)
    .replace(/(\S)@(?=\S)/g, '$1\\@');
}

/** Control characters, bidirectional overrides and invisible characters. */
const CONTROLS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
