export function installPinned(pinned: string, compiled?: readonly string[]): Promise<string>;
export function nodeOfAtLeast(major: number): Promise<string>;
