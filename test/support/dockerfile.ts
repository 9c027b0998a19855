import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DockerfileParser } from 'dockerfile-ast';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface Instruction {
  readonly keyword: string;
  /** Everything behind the keyword and its flags. */
  readonly text: string;
  /** The same in words; of an array its elements. */
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
}

/** The instructions of each stage, in order; each stage begins with its FROM. */
export function dockerfileStages(): Instruction[][] {
  const stages: Instruction[][] = [];
  const file = DockerfileParser.parse(readFileSync(`${ROOT}/Dockerfile`, 'utf8'));
  for (const instruction of file.getInstructions()) {
    const keyword = instruction.getKeyword();
    const given =
      'getFlags' in instruction && typeof instruction.getFlags === 'function' ? instruction.getFlags() : [];
    const flags = Object.fromEntries(
      (given as { getName(): string; getValue(): string }[]).map((flag) => [flag.getName(), flag.getValue()]),
    );
    const words = instruction.getArguments().map((argument) => argument.getValue());
    const text = words.join(' ');
    const at = words.findIndex((word) => word.startsWith('['));
    const array = at === -1 ? undefined : (JSON.parse(words.slice(at).join(' ')) as string[]);
    if (keyword === 'FROM') stages.push([]);
    stages.at(-1)?.push({ keyword, text, words: array ?? words, flags });
  }
  return stages;
}

/** What `ENV` sets in a stage. */
export function environmentOf(stage: readonly Instruction[]): Record<string, string> {
  return Object.fromEntries(
    stage
      .filter(({ keyword }) => keyword === 'ENV')
      .flatMap(({ words }) => words.map((word) => word.split('=') as [string, string])),
  );
}
