export function referencePages(parts: Readonly<Record<string, unknown>>): Promise<Record<string, string>>;
