import { type Command, Option } from 'commander';
import { withSettingOptions } from './setting-options.ts';
import type { VaultCopyFlags } from './vault-copy.ts';

/** Adds `copy` to the existing command `vault`. */
export function addVaultCopyCommand(program: Command): void {
  const copy = program.commands
    .find((command) => command.name() === 'vault')
    ?.command('copy')
    .description(
      'copy the notes of one home into another, with links, attachments, tags, times and ids; nothing there is written over, and a run that was interrupted goes on',
    );
  if (copy === undefined) return;
  const place = 'a folder, joplin:, silverbullet:https://…, or the name of a vault in the configuration file';
  copy
    .requiredOption('--from <store>', place)
    .requiredOption('--to <store>', `${place}; a folder that is missing is made`)
    .option('--from-folder <path>', 'copy this folder of it only, as the top of what is copied')
    .option(
      '--to-folder <path>',
      'put everything into this folder; into Joplin by default a notebook of the name of the vault, . = none',
    )
    .addOption(
      new Option(
        '--front-matter <which>',
        'what is written into notes that come from Joplin: all that its own export has, or what is needed as neither the file nor the text says it',
      )
        .choices(['all', 'needed'])
        .default('all'),
    )
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'the report as JSON, complete')
    .option('--config <file>', 'another configuration file (or LECTERN_CONFIG)');
  withSettingOptions(copy, 'vault')
    .exitOverride()
    .action(async (flags: VaultCopyFlags) => {
      const { copyVaultCommand } = await import('./vault-copy.ts');
      await copyVaultCommand(flags);
    });
}
