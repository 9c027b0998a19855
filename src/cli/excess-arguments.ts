import type { Command } from 'commander';

/**
 * Refuses arguments that a command does not take, and names the likely cause: an unquoted path with a space
 * arrives as several arguments, of which the first may be an existing folder.
 *
 * @param program the complete command line; commands added later are not covered
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

/** The arguments after the name of a command. */
function afterCommand(program: Command, command: Command): readonly string[] {
  const { rawArgs } = program as Command & { readonly rawArgs: readonly string[] };
  return rawArgs.slice(rawArgs.indexOf(command.name(), 2) + 1);
}

/**
 * The error text for excess arguments.
 *
 * @param excess the arguments that the command does not take
 * @param given all arguments in order, including options and their values
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
