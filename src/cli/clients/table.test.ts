import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configuredClients } from './configured.ts';
import { placesOf } from './places.ts';
import { CLIENTS, clientNamed, clientsFound } from './table.ts';

const filesOn = (platform: NodeJS.Platform, environment: Record<string, string>) => {
  const places = placesOf(environment, platform);
  return Object.fromEntries(CLIENTS.map((client) => [client.id, client.file(places)]));
};

describe('where each client has its file', () => {
  it('on macOS', () => {
    expect(filesOn('darwin', { HOME: '/nowhere' })).toEqual({
      'claude-desktop': '/nowhere/Library/Application Support/Claude/claude_desktop_config.json',
      'claude-code': '/nowhere/.claude.json',
      cursor: '/nowhere/.cursor/mcp.json',
      vscode: '/nowhere/Library/Application Support/Code/User/mcp.json',
      windsurf: '/nowhere/.codeium/windsurf/mcp_config.json',
      zed: '/nowhere/.config/zed/settings.json',
      cline: '/nowhere/.cline/data/settings/cline_mcp_settings.json',
      continue: '/nowhere/.continue/config.yaml',
      'gemini-cli': '/nowhere/.gemini/settings.json',
      codex: '/nowhere/.codex/config.toml',
      'lm-studio': '/nowhere/.lmstudio/mcp.json',
      goose: '/nowhere/.config/goose/config.yaml',
      junie: '/nowhere/.junie/mcp/mcp.json',
      opencode: '/nowhere/.config/opencode/opencode.json',
    });
  });

  it('on Linux, and where the environment says', () => {
    expect(filesOn('linux', { HOME: '/nowhere' })).toMatchObject({
      'claude-desktop': '/nowhere/.config/Claude/claude_desktop_config.json',
      vscode: '/nowhere/.config/Code/User/mcp.json',
      zed: '/nowhere/.config/zed/settings.json',
      goose: '/nowhere/.config/goose/config.yaml',
    });
    const environment = {
      HOME: '/nowhere',
      XDG_CONFIG_HOME: '/cfg',
      CODEX_HOME: '/cx',
      CLAUDE_CONFIG_DIR: '/cc',
      CLINE_MCP_SETTINGS_PATH: '/cl.json',
    };
    expect(filesOn('linux', environment)).toMatchObject({
      'claude-desktop': '/cfg/Claude/claude_desktop_config.json',
      'claude-code': '/cc/.claude.json',
      opencode: '/cfg/opencode/opencode.json',
      codex: '/cx/config.toml',
      cline: '/cl.json',
    });
  });

  it('on Windows', () => {
    const environment = { HOME: 'C:\\Users\\ann', APPDATA: 'C:\\Users\\ann\\AppData\\Roaming' };
    expect(filesOn('win32', environment)).toMatchObject({
      'claude-desktop': 'C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-code': 'C:\\Users\\ann\\.claude.json',
      vscode: 'C:\\Users\\ann\\AppData\\Roaming\\Code\\User\\mcp.json',
      zed: 'C:\\Users\\ann\\AppData\\Roaming\\Zed\\settings.json',
      goose: 'C:\\Users\\ann\\AppData\\Roaming\\Block\\goose\\config\\config.yaml',
      opencode: 'C:\\Users\\ann\\.config\\opencode\\opencode.json',
      codex: 'C:\\Users\\ann\\.codex\\config.toml',
    });
    const packages = 'C:\\Users\\ann\\AppData\\Local\\Packages';
    const packaged = {
      ...placesOf(environment, 'win32'),
      names: (folder: string) => (folder === packages ? ['Other_1', 'Claude_pzs8sxrjxfjjc'] : []),
    };
    expect(clientNamed('claude-desktop')?.file(packaged)).toBe(
      `${packages}\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json`,
    );
  });
});

describe('what is on this machine', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'lectern-clients-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const places = () => placesOf({ HOME: home }, 'linux');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const fileOf = (id: string) => clientNamed(id)?.file(places()).slice(home.length);

  it('is found by what its first start left', () => {
    expect(clientsFound(places())).toEqual([]);
    for (const path of ['.claude.json', '.cursor/x', '.config/zed/x']) write(path, '');
    expect(clientsFound(places()).map(({ id }) => id)).toEqual(['claude-code', 'cursor', 'zed']);
  });

  it('keeps to the file that a client reads, where there may be several', () => {
    write('.config/Code - Insiders/User/x', '');
    expect(fileOf('vscode')).toBe('/.config/Code - Insiders/User/mcp.json');
    const old = '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json';
    write(old, '{}');
    expect(fileOf('cline')).toBe(`/${old}`);
    write('.cline/data/settings/x', '');
    expect(fileOf('cline')).toBe('/.cline/data/settings/cline_mcp_settings.json');
    write('.continue/config.json', '{}');
    expect(fileOf('continue')).toBe('/.continue/mcpServers/lectern.yaml');
    write('.continue/config.yaml', '');
    expect(fileOf('continue')).toBe('/.continue/config.yaml');
    write('.cache/lm-studio/x', '');
    expect(fileOf('lm-studio')).toBe('/.cache/lm-studio/mcp.json');
    write('models/x', '');
    write('.lmstudio-home-pointer', `${join(home, 'models')}\n`);
    expect(fileOf('lm-studio')).toBe('/models/mcp.json');
    write('.config/opencode/opencode.jsonc', '{}');
    expect(fileOf('opencode')).toBe('/.config/opencode/opencode.jsonc');
  });

  it('tells which commands of Lectern stand in the files, and which files are broken', () => {
    write('.cursor/mcp.json', '{"mcpServers": {"lectern": {"url": "https://x"}, "other": {"command": "o"}}}');
    write(
      '.gemini/settings.json',
      '{"mcpServers": {"my notes": {"command": "/n", "args": ["/x/lectern.js", "mcp"]}}}',
    );
    write('.codex/config.toml', '[mcp_servers.lectern]\ncommand = "gone"\n');
    write('.config/goose/config.yaml', 'extensions: [');
    expect(
      configuredClients(places()).map((found) =>
        'problem' in found
          ? [found.client.id, found.problem.code]
          : [found.client.id, found.name, found.command],
      ),
    ).toEqual([
      ['gemini-cli', 'my notes', ['/n', '/x/lectern.js', 'mcp']],
      ['codex', 'lectern', ['gone']],
      ['goose', 'invalid_input'],
    ]);
  });
});

it('knows every client by what people call it', () => {
  for (const client of CLIENTS) expect(clientNamed(client.id)).toBe(client);
  for (const client of CLIENTS.filter(({ name }) => name !== 'JetBrains Junie'))
    expect(clientNamed(client.name)).toBe(client);
  expect(clientNamed('jetbrains')?.id).toBe('junie');
  expect(clientNamed('constructor')).toBeUndefined();
});
