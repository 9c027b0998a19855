import { isRecord } from '../../is-record.ts';
import { type Command, ENTRY_NAME, type McpClient } from './client.ts';
import type { Places } from './places.ts';

/**
 * The clients that `lectern init` sets up. The facts come from each client's documentation;
 * docs/guides/clients.md has the sources and the dates they were read. A new client needs a row here and a row
 * there.
 */
export const CLIENTS: readonly McpClient[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    format: 'json',
    file: (places) => places.join(claudeDesktop(places), 'claude_desktop_config.json'),
    traces: (places) => [claudeDesktop(places)],
    keys: () => ['mcpServers'],
    entry: programAndArgs,
    command: fromProgramAndArgs,
    afterwards: 'Quit Claude Desktop whole, not its window alone, and start it again.',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    format: 'json',
    file: ({ environment, home, join }) => join(environment.CLAUDE_CONFIG_DIR ?? home, '.claude.json'),
    traces: ({ environment, home, join }) => [
      join(environment.CLAUDE_CONFIG_DIR ?? home, '.claude.json'),
      environment.CLAUDE_CONFIG_DIR ?? join(home, '.claude'),
    ],
    keys: () => ['mcpServers'],
    entry: typed,
    command: fromProgramAndArgs,
    afterwards: 'Start a new session; /mcp shows whether it is connected.',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    file: ({ home, join }) => join(home, '.cursor', 'mcp.json'),
    traces: ({ home, join }) => [join(home, '.cursor')],
    keys: () => ['mcpServers'],
    entry: typed,
    command: fromProgramAndArgs,
    afterwards: 'Look under Settings > Tools & MCP: it is listed there, perhaps to be switched on.',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    file: (places) => places.join(codeUser(places), 'mcp.json'),
    traces: (places) => [codeUser(places)],
    keys: () => ['servers'],
    entry: typed,
    command: fromProgramAndArgs,
    afterwards: 'Run "MCP: List Servers" in VS Code and start it; it asks once whether you trust it.',
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    format: 'json',
    file: ({ home, join }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    traces: ({ home, join }) => [join(home, '.codeium', 'windsurf')],
    keys: () => ['mcpServers'],
    entry: programAndArgs,
    command: fromProgramAndArgs,
    afterwards: 'Press refresh in the list of MCP servers of Cascade.',
  },
  {
    id: 'zed',
    name: 'Zed',
    format: 'json',
    file: (places) => places.join(zed(places), 'settings.json'),
    traces: (places) => [zed(places)],
    keys: () => ['context_servers'],
    entry: (command) => ({ ...programAndArgs(command), env: {} }),
    command: fromProgramAndArgs,
    afterwards: 'Zed reads its settings as they are saved; the dot beside the server turns green.',
  },
  {
    id: 'cline',
    name: 'Cline',
    format: 'json',
    file: cline,
    traces: (places) => [places.join(places.home, '.cline'), cline(places)],
    keys: () => ['mcpServers'],
    entry: (command) => ({ ...programAndArgs(command), disabled: false }),
    command: fromProgramAndArgs,
    afterwards: 'Cline reads the file as it is saved; see MCP Servers > Configure.',
  },
  {
    id: 'continue',
    name: 'Continue',
    format: 'yaml',
    file: continueFile,
    traces: ({ home, join }) => [join(home, '.continue')],
    keys: () => ['mcpServers'],
    isList: true,
    fresh: { name: 'Local Config', version: '1.0.0', schema: 'v1' },
    entry: (command) => ({ name: ENTRY_NAME, type: 'stdio', ...programAndArgs(command) }),
    command: fromProgramAndArgs,
    afterwards: 'Continue reads the file as it is saved. Servers are there in agent mode only.',
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    format: 'json',
    file: ({ home, join }) => join(home, '.gemini', 'settings.json'),
    traces: ({ home, join }) => [join(home, '.gemini')],
    keys: () => ['mcpServers'],
    entry: programAndArgs,
    command: fromProgramAndArgs,
    afterwards: 'Start Gemini CLI again; /mcp lists it.',
  },
  {
    id: 'codex',
    name: 'Codex CLI',
    format: 'toml',
    file: (places) => places.join(codex(places), 'config.toml'),
    traces: (places) => [codex(places)],
    keys: () => ['mcp_servers'],
    entry: programAndArgs,
    command: fromProgramAndArgs,
    afterwards: 'Start Codex again; /mcp lists it.',
  },
  {
    id: 'lm-studio',
    name: 'LM Studio',
    format: 'json',
    file: (places) => places.join(lmStudio(places), 'mcp.json'),
    traces: (places) => [lmStudio(places)],
    keys: () => ['mcpServers'],
    entry: programAndArgs,
    command: fromProgramAndArgs,
    afterwards: 'Switch it on under Program > Integrations of a chat.',
  },
  {
    id: 'goose',
    name: 'Goose',
    format: 'yaml',
    file: (places) => places.join(goose(places), 'config.yaml'),
    traces: (places) => [goose(places)],
    keys: () => ['extensions'],
    entry: ([cmd, ...args]) => ({
      enabled: true,
      type: 'stdio',
      name: ENTRY_NAME,
      description: 'Your notes',
      cmd,
      args,
      envs: {},
      env_keys: [],
      timeout: 300,
    }),
    command: ({ cmd, args }) => commandOf(cmd, args),
    afterwards: 'Start a new session of Goose.',
  },
  {
    id: 'junie',
    name: 'JetBrains Junie',
    format: 'json',
    file: ({ home, join }) => join(home, '.junie', 'mcp', 'mcp.json'),
    traces: ({ home, join }) => [join(home, '.junie')],
    keys: () => ['mcpServers'],
    entry: programAndArgs,
    command: fromProgramAndArgs,
    afterwards: 'Look under Settings > Tools > Junie > MCP Settings: it is listed there.',
  },
  {
    id: 'opencode',
    name: 'opencode',
    format: 'json',
    file: opencode,
    traces: ({ dotConfig, join }) => [join(dotConfig, 'opencode')],
    // Version 2 has one more level and also reads the old form; version 1 does not start with the new form.
    keys: (document) => (hasServersOfVersion2(document) ? ['mcp', 'servers'] : ['mcp']),
    entry: (command) => ({ type: 'local', command: [...command] }),
    command: ({ command }) => (Array.isArray(command) ? commandOf(command[0], command.slice(1)) : undefined),
    afterwards: 'Start opencode again; "opencode mcp list" shows it.',
  },
];

/** Other names of clients. */
const ALIASES: Readonly<Record<string, string>> = {
  claude: 'claude-desktop',
  code: 'vscode',
  'vs-code': 'vscode',
  gemini: 'gemini-cli',
  'codex-cli': 'codex',
  lmstudio: 'lm-studio',
  jetbrains: 'junie',
};

/** The client with this id or alias, ignoring case; undefined when there is none. */
export function clientNamed(word: string): McpClient | undefined {
  const id = word.trim().toLowerCase().replace(/\s+/g, '-');
  return CLIENTS.find((client) => client.id === (Object.hasOwn(ALIASES, id) ? ALIASES[id] : id));
}

/** The clients that are installed on this machine, judged by their traces. */
export function clientsFound(places: Places): readonly McpClient[] {
  return CLIENTS.filter((client) => client.traces(places).some(places.exists));
}

function programAndArgs([command, ...args]: Command): Record<string, unknown> {
  return { command, args };
}

function typed(command: Command): Record<string, unknown> {
  return { type: 'stdio', ...programAndArgs(command) };
}

function fromProgramAndArgs({ command, args }: Readonly<Record<string, unknown>>): Command | undefined {
  return commandOf(command, args);
}

function commandOf(program: unknown, args: unknown): Command | undefined {
  if (typeof program !== 'string') return undefined;
  return [program, ...(Array.isArray(args) ? args.map(String) : [])];
}

/** The store package, and since 2026 the installer too, has a virtual %APPDATA% inside its package folder. */
function claudeDesktop({ platform, environment, home, settings, join, names }: Places): string {
  if (platform === 'win32') {
    const packages = join(environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'Packages');
    const packaged = names(packages).find((name) => name.startsWith('Claude_'));
    if (packaged !== undefined) return join(packages, packaged, 'LocalCache', 'Roaming', 'Claude');
  }
  return join(settings, 'Claude');
}

function codeUser({ settings, join, exists }: Places): string {
  const [stable = '', ...others] = ['Code', 'Code - Insiders', 'VSCodium'].map((name) =>
    join(settings, name, 'User'),
  );
  return exists(stable) ? stable : (others.find(exists) ?? stable);
}

function zed({ platform, settings, home, dotConfig, join, exists }: Places): string {
  if (platform === 'win32') return join(settings, 'Zed');
  if (platform === 'darwin') return join(home, '.config', 'zed');
  const flatpak = join(home, '.var', 'app', 'dev.zed.Zed', 'config', 'zed');
  const own = join(dotConfig, 'zed');
  return !exists(own) && exists(flatpak) ? flatpak : own;
}

/** Before version 4 the extension had another file, from which version 4 imports its settings once. */
function cline({ environment, home, settings, join, exists }: Places): string {
  if (environment.CLINE_MCP_SETTINGS_PATH) return environment.CLINE_MCP_SETTINGS_PATH;
  const data = join(environment.CLINE_DIR ?? join(home, '.cline'), 'data');
  const shared = join(data, 'settings', 'cline_mcp_settings.json');
  const own = join(
    settings,
    'Code',
    'User',
    'globalStorage',
    'saoudrizwan.claude-dev',
    'settings',
    'cline_mcp_settings.json',
  );
  return !exists(join(data, 'settings')) && exists(own) ? own : shared;
}

/** A new config.yaml would hide an existing config.json; a separate file in the folder of servers does not. */
function continueFile({ home, join, exists }: Places): string {
  const folder = join(home, '.continue');
  const main = join(folder, 'config.yaml');
  return !exists(main) && exists(join(folder, 'config.json'))
    ? join(folder, 'mcpServers', `${ENTRY_NAME}.yaml`)
    : main;
}

function codex({ environment, home, join }: Places): string {
  return environment.CODEX_HOME ?? join(home, '.codex');
}

/** LM Studio records its folder in a file; older versions have it in the cache folder. */
function lmStudio({ home, join, exists, text }: Places): string {
  const noted = text(join(home, '.lmstudio-home-pointer'))?.split('\n', 1)[0]?.trim();
  const own = join(home, '.lmstudio');
  const places = [noted, own, join(home, '.cache', 'lm-studio')].filter((path) => path !== undefined);
  return places.find((path) => path !== '' && exists(path)) ?? own;
}

function goose({ platform, settings, dotConfig, join }: Places): string {
  return platform === 'win32' ? join(settings, 'Block', 'goose', 'config') : join(dotConfig, 'goose');
}

function opencode({ dotConfig, join, exists }: Places): string {
  const files = ['opencode.jsonc', 'opencode.json'].map((name) => join(dotConfig, 'opencode', name));
  return files.find(exists) ?? join(dotConfig, 'opencode', 'opencode.json');
}

function hasServersOfVersion2(document: unknown): boolean {
  const mcp = isRecord(document) ? document.mcp : undefined;
  const servers = isRecord(mcp) ? mcp.servers : undefined;
  // In version 1 a server may be named "servers"; it then has a server's keys.
  return isRecord(servers) && !('type' in servers) && !('enabled' in servers);
}
