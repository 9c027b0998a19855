import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.ts';
import { excessText } from './excess-arguments.ts';

describe('too many arguments', () => {
  it.each([
    [['Vault'], ['--vault', '/home/user/Obsidian', 'Vault'], 'If "/home/user/Obsidian Vault" is one'],
    [
      ['Obsidian', 'Vault'],
      ['--vault', '/My', 'Obsidian', 'Vault', '--json'],
      'If "/My Obsidian Vault" is one',
    ],
    [['Note.md'], ['My', 'Note.md'], '"Note.md" was not expected after "My". If "My Note.md" is one'],
    [['b', 'd'], ['a', 'b', '--json', 'd'], 'If "a b" is one'],
  ])('%j of %j are named with what was probably meant', (excess, given, words) => {
    expect(excessText(excess, given)).toContain(words);
  });

  it.each([
    [['x'], ['--json', 'x']],
    [['x'], ['x']],
  ])('%j of %j: no cause is made up', (excess, given) => {
    expect(excessText(excess, given)).toBe('too many arguments: "x" was not expected.');
  });

  it('are refused by every command before it does anything', async () => {
    const program = await commandLine(undefined);
    const leaves = leavesOf(program, []);
    expect(leaves.length).toBeGreaterThan(40);
    for (const words of leaves) {
      const said: string[] = [];
      const again = await commandLine(undefined);
      silence(again, (text) => said.push(text));
      const filled = ['node', 'lectern', ...words, 'bash', 'one', 'two', 'three'];
      await expect(again.parseAsync(filled), words.join(' ')).rejects.toThrow();
      expect([words, said.join('')]).toEqual([
        words,
        expect.stringMatching(/too many arguments|required option/),
      ]);
    }
  });
});

type Program = Awaited<ReturnType<typeof commandLine>>;

function leavesOf(command: Program, words: readonly string[]): readonly string[][] {
  if (command.commands.length === 0) return [[...words]];
  return command.commands.flatMap((each) => leavesOf(each, [...words, each.name()]));
}

function silence(command: Program, write: (text: string) => void): void {
  command.exitOverride().configureOutput({ writeOut: write, writeErr: write });
  for (const each of command.commands) silence(each, write);
}
