export function assemble(): Promise<Uint8Array>;
