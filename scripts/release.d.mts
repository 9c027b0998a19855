interface About {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly mcpName?: string;
  readonly repository?: { readonly url: string };
}

export function obstacles(
  about: About,
  changelog: string,
  commit: { readonly tags: readonly string[]; readonly changed: string },
): string[];
export function serverEntry(
  about: Required<Omit<About, 'private'>>,
  bundle: { readonly url: string; readonly sha256: string },
): unknown;
