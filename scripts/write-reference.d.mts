type Parts = Readonly<Record<string, unknown>>;

export function referencePages(parts: Parts): Promise<Record<string, string>>;
export function withSettings(readme: string, parts: Parts): string;
