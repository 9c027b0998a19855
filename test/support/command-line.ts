import { Command, CommanderError } from 'commander';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import { addOperationCommands } from '../../src/cli/commands/register.ts';
import type { Runner, VaultFlags } from '../../src/cli/commands/runner.ts';
import { parseInput } from '../../src/operations/call/input.ts';
import { runOperation } from '../../src/operations/call/run.ts';
import type { VaultSession } from '../../src/vault/session.ts';

export interface CommandResult {
  readonly out: string;
  readonly err: string;
  readonly code: number;
  readonly flags: VaultFlags | undefined;
}

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly environment?: Record<string, string>;
}

/** Runs one command line in this process: on a session that is open already, or with what is opened for its flags. */
export async function runCommand(
  argv: readonly string[],
  runner: Runner | VaultSession | ((flags: VaultFlags) => Promise<Runner>),
  { isTTY = false, environment = {}, ...screen }: Screen = { columns: 80 },
): Promise<CommandResult> {
  let out = '';
  let err = '';
  let code = 0;
  let flags: VaultFlags | undefined;
  const program = new Command('lectern').exitOverride();
  addOperationCommands(program, {
    openRunner: async (given) => {
      flags = given;
      if (typeof runner === 'function') return await runner(given);
      return 'run' in runner ? runner : sessionRunner(runner);
    },
    out: {
      isTTY,
      ...(screen.columns !== undefined && { columns: screen.columns }),
      write: (text) => {
        out += text;
      },
    },
    err: {
      write: (text) => {
        err += text;
      },
    },
    environment,
    exitWith: (given) => {
      code = given;
    },
  });
  silence(program, (text) => {
    err += text;
  });
  try {
    await program.parseAsync(['node', 'lectern', ...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    code = error.exitCode === 0 ? 0 : 2;
  }
  return { out, err, code, flags };
}

function silence(command: Command, write: (text: string) => void): void {
  command.configureOutput({ writeOut: write, writeErr: write });
  for (const each of command.commands) silence(each, write);
}

function sessionRunner(session: VaultSession): Runner {
  const context = {
    signal: new AbortController().signal,
    progress: () => {},
    assistants: () => EXTRACTIVE,
  };
  return {
    run: (operation, input, partial) =>
      runOperation(operation, session, parseInput(operation, input), { ...context, partial }),
    close: async () => {},
  };
}
