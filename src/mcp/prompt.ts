import type { PromptArguments, PromptDefinition } from '../catalogues/prompt.ts';
import { LecternError } from '../errors.ts';

/** @throws LecternError `invalid_input` for unknown or missing arguments */
export function checkArguments(prompt: PromptDefinition, given: PromptArguments): void {
  const names = prompt.arguments.map(({ name }) => name);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  const missing = prompt.arguments
    .filter(({ name, required }) => required && (given[name] ?? '').trim() === '')
    .map(({ name }) => name);
  if (unknown.length + missing.length === 0) return;
  const problems = [
    ...(missing.length > 0 ? [`missing ${missing.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`unknown ${unknown.join(', ')}`] : []),
  ];
  throw new LecternError(
    'invalid_input',
    `Wrong arguments for prompt ${prompt.name}: ${problems.join('; ')}.`,
    {
      details: { missing, unknown },
      next: names.length === 0 ? 'It takes no arguments.' : `It takes ${names.join(', ')}.`,
    },
  );
}

/** @throws LecternError `invalid_input` when it is no whole number from 1 to `most` */
export function countArgument(given: string | undefined, fallback: number, most: number): number {
  if (given === undefined || given.trim() === '') return fallback;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  throw new LecternError('invalid_input', `${JSON.stringify(given)} is not a number from 1 to ${most}.`);
}

/** @throws LecternError `invalid_input` when it is not a boolean */
export function flagArgument(given: string | undefined, fallback: boolean): boolean {
  if (given === undefined || given.trim() === '') return fallback;
  if (/^(true|yes|1)$/i.test(given.trim())) return true;
  if (/^(false|no|0)$/i.test(given.trim())) return false;
  throw new LecternError('invalid_input', `${JSON.stringify(given)} is neither true nor false.`);
}
