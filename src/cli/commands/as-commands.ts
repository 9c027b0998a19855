import { OPERATIONS } from '../../operations/registry.ts';

const COMMANDS = new Map(OPERATIONS.map(({ name, cli }) => [name, `lectern ${cli.noun} ${cli.verb}`]));

/** Words that were meant for an agent, as a person types them: `note_undo` is `lectern note undo`. */
export function asCommands(text: string): string {
  return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => COMMANDS.get(name) ?? name);
}
