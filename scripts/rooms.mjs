// The one-way rule between the rooms of src/, in one table. scripts/write-biome-rooms.mjs turns it
// into lint rules; docs/architecture.md draws it. Left may import right (and src/errors.ts always).
export const ROOMS = {
  notes: [],
  formats: ['notes'],
  stores: ['notes', 'formats'],
  sqlite: [],
  journal: ['sqlite', 'notes'],
  index: ['sqlite', 'stores', 'notes', 'formats'],
  search: ['index', 'stores', 'notes', 'formats'],
  vault: ['stores', 'index', 'journal', 'search', 'notes', 'formats'],
  operations: ['vault', 'index', 'stores', 'ai', 'notes', 'formats'],
  ai: ['notes', 'formats'],
  catalogues: ['operations', 'vault', 'notes'],
  auth: ['sqlite', 'config'],
  config: [],
  mcp: ['catalogues', 'operations', 'vault', 'auth', 'config', 'notes'],
  http: ['mcp', 'catalogues', 'operations', 'vault', 'journal', 'auth', 'config', 'notes'],
};
