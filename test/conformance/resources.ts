import type { ResourceSource } from '../../src/catalogues/catalogue.ts';
import { LecternError } from '../../src/errors.ts';
import { PNG } from './media.ts';

const TEXT = { uri: 'test://static-text', mimeType: 'text/plain' };
const BINARY = { uri: 'test://static-binary', mimeType: 'image/png' };
const WATCHED = { uri: 'test://watched-resource', mimeType: 'text/plain' };

export const FIXTURE_RESOURCES: ResourceSource = {
  prefix: 'test://',
  resources: [
    { ...TEXT, name: 'static-text', description: 'A text.' },
    { ...BINARY, name: 'static-binary', description: 'An image.' },
    { ...WATCHED, name: 'watched-resource', description: 'A text to subscribe to.' },
  ],
  templates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Data of one id.' }],
  async read(uri) {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    }
    switch (uri) {
      case TEXT.uri:
        return { contents: [{ ...TEXT, text: 'This is the content of the static text resource.' }] };
      case BINARY.uri:
        return { contents: [{ ...BINARY, blob: PNG }] };
      case WATCHED.uri:
        return { contents: [{ ...WATCHED, text: 'Nothing has changed yet.' }] };
      default:
        throw new LecternError('not_found', 'There is no such resource.');
    }
  },
  // Nothing here ever changes.
  watch: () => () => {},
};
