/** How one MCP client is configured for a server. */
export interface ClientSetup {
  readonly client: string;
  /** Where to enter the line: a shell, or a file. */
  readonly where: string;
  readonly line: string;
}

/**
 * The line of configuration for each client, with this machine's paths.
 *
 * @param command the server's program and arguments
 */
export function clientSetups(
  command: readonly [string, ...string[]],
  platform: NodeJS.Platform,
): ClientSetup[] {
  const [program, ...args] = command;
  const entry = { command: program, args };
  const servers = JSON.stringify({ mcpServers: { lectern: entry } });
  const shell = command.map((word) => quote(word, platform)).join(' ');
  return [
    { client: 'Claude Desktop', where: claudeDesktopFile(platform), line: servers },
    { client: 'Claude Code', where: 'in a terminal', line: `claude mcp add lectern -- ${shell}` },
    { client: 'Cursor', where: '~/.cursor/mcp.json', line: servers },
    {
      client: 'VS Code',
      where: 'in a terminal',
      line: `code --add-mcp ${quote(JSON.stringify({ name: 'lectern', ...entry }), platform)}`,
    },
  ];
}

function claudeDesktopFile(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return '~/Library/Application Support/Claude/claude_desktop_config.json';
  if (platform === 'win32') return '%APPDATA%\\Claude\\claude_desktop_config.json';
  return '~/.config/Claude/claude_desktop_config.json';
}

/** Quotes a word for the platform's usual shell. */
export function quote(word: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') {
    // The Windows C runtime splits words by this rule: a quote is escaped, and so are backslashes before it.
    return /^[\w.:/\\-]+$/.test(word)
      ? word
      : `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
  }
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
