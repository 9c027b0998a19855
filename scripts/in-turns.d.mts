import type { Metafile } from 'esbuild';

export function loadedInTurns(
  files: ReadonlyMap<string, string>,
  outputs: Metafile['outputs'],
): Map<string, string>;
