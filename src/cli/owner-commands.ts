import type { Command } from 'commander';
import type { ServeFlags } from '../config/settings.ts';
import type { GivenFlags } from '../config/shown-settings.ts';
import { addDoctorCommand } from './doctor-commands.ts';
import { addInitCommand } from './init-command.ts';
import { addInklingsCommands } from './inklings-commands.ts';
import { addJoplinCommands } from './joplin-commands.ts';
import { addModelCommands } from './model-commands.ts';
import { addServiceCommands } from './service-commands.ts';
import { withServeOptions, withVaultOptions } from './setting-options.ts';
import type { TokenCreateFlags } from './token.ts';

/** Adds the owner's commands: access, settings, models and other systems. */
export function addOwnerCommands(program: Command): void {
  addInitCommand(program);
  addTokenCommands(program);
  addOAuthCommands(program);
  addConfigCommands(program);
  addModelCommands(program);
  addJoplinCommands(program);
  addInklingsCommands(program);
  addDoctorCommand(program);
  addServiceCommands(program);
  program
    .command('demo')
    .description(
      'show what an agent sees: search, read and backlinks over MCP, and how to connect your client',
    )
    .argument('[folder]', 'your notes; the sample vault when left out')
    .option('--playground', 'instead: a copy of the sample vault that an agent may change at will')
    .exitOverride()
    .action(async (folder: string | undefined, { playground }: { playground?: boolean }) => {
      if (playground) {
        const { openPlayground } = await import('./playground.ts');
        await openPlayground();
        return;
      }
      const { runDemo } = await import('./demo.ts');
      await runDemo(folder);
    });
}

function addTokenCommands(program: Command): void {
  const token = program.command('token').description('who may come in over HTTP').exitOverride();
  withVaultOptions(
    token
      .command('create')
      .description(
        'make a token; it is shown once. --vault <name> makes it one for that vault of the file alone',
      ),
  )
    .requiredOption('--name <name>', 'the client that will use it')
    .option(
      '--scope <word...>',
      'vault:read (default), vault:write or vault:admin; path:<glob>, path:!<glob>, tool:<name>, tool:!<name>, vault-name:<name> narrow it; catalogue:<name> is what it speaks over MCP',
    )
    .option('--expires <when>', '12h, 90d (default), a date, or never')
    .exitOverride()
    .action(async (flags: TokenCreateFlags) => {
      const { createToken } = await import('./token.ts');
      await createToken(flags);
    });
  withVaultOptions(token.command('list').description('every token there was, without the tokens themselves'))
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { listTokens } = await import('./token.ts');
      await listTokens(flags);
    });
  withVaultOptions(token.command('revoke').description('make a token stop working'))
    .argument('<id-or-name>')
    .exitOverride()
    .action(async (idOrName: string, flags: ServeFlags) => {
      const { revokeToken } = await import('./token.ts');
      await revokeToken(idOrName, flags);
    });
}

function addOAuthCommands(program: Command): void {
  const oauth = program.command('oauth').description('whom the owner let in with OAuth').exitOverride();
  withVaultOptions(oauth.command('list').description('every client that was let in and may still come'))
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { listGrants } = await import('./oauth-grants.ts');
      await listGrants(flags);
    });
  withVaultOptions(oauth.command('revoke').description('shut a client out, at once'))
    .argument('<id>')
    .exitOverride()
    .action(async (id: string, flags: ServeFlags) => {
      const { revokeGrant } = await import('./oauth-grants.ts');
      await revokeGrant(id, flags);
    });
  withVaultOptions(
    oauth.command('rotate-keys').description('make new keys and shut every client out, at once'),
  )
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { rotateOAuthKeys } = await import('./oauth-grants.ts');
      await rotateOAuthKeys(flags);
    });
}

function addConfigCommands(program: Command): void {
  const config = program.command('config').description('settings and the file they are in').exitOverride();
  withServeOptions(config.command('show').description('print every setting that a server would have'))
    .option('--origin', 'and where each comes from')
    .option('--json', 'as JSON, with origins')
    .exitOverride()
    .action(async (flags: GivenFlags) => {
      const { printConfig } = await import('./config.ts');
      await printConfig(flags);
    });
  config
    .command('schema')
    .description('print the JSON Schema of the file, for editors')
    .exitOverride()
    .action(async () => {
      const { printConfigSchema } = await import('./config.ts');
      printConfigSchema();
    });
  config
    .command('path')
    .description('print where the file is looked for')
    .option('--config <file>', 'another configuration file (or LECTERN_CONFIG)')
    .exitOverride()
    .action(async (flags: GivenFlags) => {
      const { printConfigPath } = await import('./config.ts');
      printConfigPath(flags);
    });
}
