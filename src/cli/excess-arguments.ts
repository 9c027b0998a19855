import type { Command } from 'commander';

/**
 * Refuses arguments that no command takes, and names them with the likely cause: a path with a blank that was not
 * put in quotes arrives as several arguments, and the first of them may be a folder too.
 *
 * @param program the whole command line, with every command that it will run
 */
export function refuseExcessArguments(program: Command): void {
  allowAll(program);
  program.hook('preAction', (_program, command) => {
    const expected = command.registeredArguments;
    if (expected.at(-1)?.variadic === true || command.args.length <= expected.length) return;
    command.error(
      `error: ${excessText(command.args.slice(expected.length), afterCommand(program, command))}`,
      {
        code: 'lectern.excessArguments',
      },
    );
  });
}

function allowAll(command: Command): void {
  command.allowExcessArguments();
  for (const each of command.commands) allowAll(each);
}

/** What was typed after the name of a command. */
function afterCommand(program: Command, command: Command): readonly string[] {
  const { rawArgs } = program as Command & { readonly rawArgs: readonly string[] };
  return rawArgs.slice(rawArgs.indexOf(command.name(), 2) + 1);
}

/**
 * @param excess what no argument of the command is left for
 * @param given all arguments in their order, options and their values among them
 */
export function excessText(excess: readonly string[], given: readonly string[]): string {
  const [first = ''] = excess;
  const what = `too many arguments: ${quoted(first)} was not expected`;
  const at = given.lastIndexOf(first);
  const before = given[at - 1];
  if (before === undefined || before.startsWith('-')) return `${what}.`;
  const run = given.slice(at).findIndex((argument, offset) => argument !== excess[offset]);
  const whole = [before, ...given.slice(at, run < 0 ? undefined : at + run)].join(' ');
  return `${what} after ${quoted(before)}. If ${quoted(whole)} is one name or path, put it in quotes; in a client's configuration it is one argument, in one pair of quotes.`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
