export function licencesOf(folders: readonly string[]): string;
