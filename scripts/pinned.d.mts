export const INSTALL_LIMIT_MS: number;
export const PATIENCE: readonly string[];
export function installPinned(pinned: string, compiled?: readonly string[]): Promise<string>;
export function nodeOfAtLeast(major: number): Promise<string>;
export function npm(args: readonly string[], folder: string): Promise<void>;
