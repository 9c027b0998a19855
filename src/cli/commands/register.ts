import { Argument, Command } from 'commander';
import { type CommandOperation, hasCommand } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/registry.ts';
import { vaultConfigGet } from '../../operations/vault-config-get.ts';
import { vaultConfigSet } from '../../operations/vault-config-set.ts';
import { vaultReindex } from '../../operations/vault-reindex.ts';
import { vaultSearch } from '../../operations/vault-search.ts';
import { vaultStatus } from '../../operations/vault-status.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';
import {
  type CommonFlags,
  operationCommand,
  orExitCode,
  runAndPrint,
  withVaultFlags,
} from './operation-command.ts';
import { outputStyle } from './output.ts';
import { PROCESS_IO } from './process-io.ts';
import type { CommandIo } from './runner.ts';
import { schemaText } from './schema.ts';

const NOUNS: Readonly<Record<string, string>> = {
  note: 'read, write and move notes',
  link: 'who refers to whom',
  tag: 'tags and the notes that carry them',
  task: 'what is to be done',
  vault: 'the whole vault',
  trash: 'what was deleted',
};

const GROUPS: Readonly<Record<string, string>> = { config: 'settings of the server' };

/** Adds `lectern <noun> <verb>` for every operation, and the commands for the index, schemas and completion. */
export function addOperationCommands(program: Command, io: CommandIo = PROCESS_IO): void {
  const nouns = new Map<string, Command>();
  for (const operation of OPERATIONS.filter(hasCommand)) {
    const noun = nouns.get(operation.cli.noun) ?? nounCommand(program, operation);
    nouns.set(operation.cli.noun, noun);
    const { group, verb } = placeOf(operation);
    const parent = group === undefined ? noun : groupCommand(noun, group);
    parent.addCommand(operationCommand(operation, io, verb));
  }
  program.addCommand(operationCommand(vaultSearch, io, 'search'));
  nouns.get('vault')?.addCommand(indexCommand(io));
  const config = program.commands.find((command) => command.name() === 'config');
  for (const operation of [vaultConfigGet, vaultConfigSet])
    config?.addCommand(operationCommand(operation, io, placeOf(operation).verb));

  program
    .command('schema')
    .description('print the contract of every operation, or of one, as JSON')
    .argument('[operation]', 'e.g. note_read')
    .exitOverride()
    .action(async (name: string | undefined) => {
      const style = outputStyle({}, io.out, io.environment);
      await orExitCode(io, style, undefined, async () => void io.out.write(schemaText(name)));
    });
  program
    .command('completion')
    .description('print a script that completes commands in your shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText(
      'after',
      '\nbash and zsh: eval "$(lectern completion bash)"\nfish: lectern completion fish | source',
    )
    .exitOverride()
    .action((shell: Shell) => void io.out.write(completionScript(shell, program)));
}

/** Splits a verb of two words: `config get` is the verb `get` in the group `config`. */
function placeOf({ cli }: Pick<CommandOperation, 'cli'>): { group: string | undefined; verb: string } {
  const words = cli.verb.split(' ');
  return { group: words.length > 1 ? words[0] : undefined, verb: words.at(-1) ?? cli.verb };
}

function groupCommand(noun: Command, name: string): Command {
  const known = noun.commands.find((command) => command.name() === name);
  return (
    known ??
    noun
      .command(name)
      .description(GROUPS[name] ?? name)
      .exitOverride()
  );
}

function nounCommand(program: Command, { cli }: CommandOperation): Command {
  return program
    .command(cli.noun)
    .description(NOUNS[cli.noun] ?? cli.noun)
    .exitOverride();
}

/** The command that updates the index and prints its counts; `--rebuild` reads every file again. */
function indexCommand(io: CommandIo): Command {
  const command = new Command('index')
    .description('bring the index up to date')
    .option('--rebuild', 'read every file again');
  return withVaultFlags(command)
    .exitOverride()
    .action(async () => {
      const flags = command.opts<CommonFlags & { readonly rebuild?: boolean }>();
      const style = outputStyle(flags, io.out, io.environment);
      const operation = flags.rebuild === true ? vaultReindex : vaultStatus;
      await orExitCode(io, style, operation as CommandOperation, () =>
        runAndPrint(operation as CommandOperation, {}, flags, style, io),
      );
    });
}
