/** The rooms that each room may import. */
export const ROOMS: Readonly<Record<string, readonly string[]>>;
