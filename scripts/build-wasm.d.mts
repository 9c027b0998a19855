/** @param path of a source below the repository, without `.wat` */
export function assemble(path: string): Promise<Uint8Array>;
