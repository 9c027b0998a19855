interface McpConfig {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

interface Platform {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: string;
}

export const PLATFORMS: readonly Platform[];
export function makeBundle(file: string, platforms?: readonly Platform[]): Promise<void>;
export function mcpbTool(): Promise<{
  unpackExtension(options: { mcpbPath: string; outputDir: string; silent: boolean }): Promise<boolean>;
  getMcpConfigForManifest(options: {
    manifest: unknown;
    extensionPath: string;
    systemDirs: Record<string, string>;
    userConfig: Record<string, unknown>;
    pathSeparator: string;
  }): Promise<McpConfig | undefined>;
}>;
