import { extension } from './path.ts';

const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  canvas: 'application/json',
  base: 'application/yaml',
  json: 'application/json',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  heic: 'image/heic',
  pdf: 'application/pdf',
  epub: 'application/epub+zip',
  zip: 'application/zip',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};

/** The media type of a file by its extension; `application/octet-stream` for an unknown one. */
export function mimeTypeOf(path: string): string {
  const key = extension(path);
  return (Object.hasOwn(TYPES, key) ? TYPES[key] : undefined) ?? 'application/octet-stream';
}

/** Whether a media type is text, which is sent as text when it is valid UTF-8. */
export function isTextType(type: string): boolean {
  return type.startsWith('text/') || /^application\/(json|yaml|xml)$/.test(type) || type === 'image/svg+xml';
}
