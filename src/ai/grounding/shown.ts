/** Signs by which Markdown, HTML and wiki links begin something other than text. */
const ACTIVE = /[\\[\]<>`*_~|$^#{}!]/g;
/** A scheme or host that programs make a link of by itself. */
const AUTOLINK = /\b([a-z][a-z0-9+.-]{1,20}):(?=\/\/|\S+@|data:|[a-z0-9])/gi;
const SCHEMES =
  /^(?:https?|ftp|file|mailto|javascript|data|vbscript|obsidian|tel|sms|ssh|ws|wss|blob|view-source)$/i;

/**
 * Text that a model wrote, as plain text for wherever Markdown is shown: no link, image, HTML or embed of its making
 * works there, and nothing is loaded from anywhere.
 */
export function shownText(text: string): string {
  return text
    .replace(CONTROLS, '')
    .replace(ACTIVE, (sign) => `\\${sign}`)
    .replace(AUTOLINK, (whole, scheme: string) => (SCHEMES.test(scheme) ? `${scheme}\\:` : whole))
    .replace(/\bwww\./gi, (www) => `${www.slice(0, 3)}\\.`)
    .replace(/(\S)@(?=\S)/g, '$1\\@');
}

/** Control characters, and signs that turn text around or are not to be seen. */
const CONTROLS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
