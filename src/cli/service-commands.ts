import type { Command } from 'commander';
import type { ServeFlags } from '../config/settings.ts';
import type { InstallFlags } from './service/command.ts';
import { withVaultOptions } from './setting-options.ts';

/** Adds `service` with its commands, and `update`. */
export function addServiceCommands(program: Command): void {
  const service = program
    .command('service')
    .description('lectern serve as a service of this user: started at login, and again when it fails')
    .exitOverride();
  withVaultOptions(
    service
      .command('install')
      .description(
        'write the files of the service, start it now and at every login; again after settings changed',
      )
      .option('--dry-run', 'print the files and the commands, and do nothing'),
  )
    .exitOverride()
    .action(async (flags: InstallFlags) => {
      const { installService } = await import('./service/command.ts');
      await installService(flags);
    });
  withVaultOptions(service.command('status').description('whether it runs, and whether it is ready'))
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { showService } = await import('./service/command.ts');
      await showService(flags);
    });
  withVaultOptions(service.command('logs').description('the last of what the server said'))
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { showLogs } = await import('./service/command.ts');
      await showLogs(flags);
    });
  service
    .command('remove')
    .description('stop it and take away what install wrote')
    .exitOverride()
    .action(async () => {
      const { removeService } = await import('./service/command.ts');
      await removeService();
    });
  service
    .command('run')
    .description('serve, with a log that is turned over: what launchd and the Task Scheduler start')
    .argument('<args...>', 'of lectern, behind --')
    .requiredOption('--log <file>', 'where the server’s words go')
    .option('--env-file <file>', 'variables for it; it need not be there')
    .exitOverride()
    .action(async (args: readonly string[], flags: { readonly log: string; readonly envFile?: string }) => {
      const { runAsService } = await import('./service/command.ts');
      await runAsService(args, flags);
    });
  program
    .command('update')
    .description('whether there is a newer version; nothing is installed')
    .option('--check', 'the default, and all it does')
    .option('--json', 'as JSON')
    .exitOverride()
    .action(async (flags: { readonly json?: boolean }) => {
      const { checkForUpdate } = await import('./update.ts');
      await checkForUpdate(flags);
    });
}
