import type { BuildResult, Metafile } from 'esbuild';

export function buildAll(sweepAfterMs?: number): Promise<void>;
export function bundle(): Promise<BuildResult<{ metafile: true; write: false }>>;
export function bundledPackages(metafile: Metafile): string[];
