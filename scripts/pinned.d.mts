export function installPinned(pinned: string): Promise<string>;
export function nodeOfAtLeast(major: number): Promise<string>;
