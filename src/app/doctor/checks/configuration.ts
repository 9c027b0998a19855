import { lstatSync, statSync } from 'node:fs';
import { fileValue, SETTING_TABLE } from '../../../config/setting-rows.ts';
import { closest } from '../../../nearest.ts';
import { type Check, type Finding, ok, problem } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { INVALID_OWNER_SETTINGS, ownerProblems } from '../owner-settings.ts';

/** Variables that Lectern reads, but that are not settings. */
const OTHER_VARIABLES = ['LECTERN_VAULT', 'LECTERN_CONFIG', 'LECTERN_URL', 'LECTERN_TOKEN'];

/** Checks the configuration file, the environment, and the secret files that they name. */
export const configuration: Check = {
  name: 'configuration',
  async run(context) {
    const findings: Finding[] = context.problems.map(({ message, next }) =>
      problem(codeOf(message), message, next ?? 'Correct it and try again.'),
    );
    findings.push(...unknownVariables(context), ...secretFiles(context), ...(await rules(context)));
    for (const warning of context.warnings)
      findings.push(problem('configuration.no_effect', warning, 'Remove it, or set what it belongs to.'));
    if (findings.length > 0) return findings;
    return [
      ok(
        'configuration.good',
        context.file === undefined
          ? 'There is no configuration file; flags, variables and defaults hold.'
          : `The configuration file ${context.configPath} is good.`,
      ),
    ];
  },
};

function codeOf(message: string): string {
  if (/There is no setting/.test(message)) return 'configuration.unknown_key';
  if (message.startsWith('No vault was given')) return 'configuration.no_vault';
  if (message.startsWith('There is no secret')) return 'configuration.secret_missing';
  if (/same folder|both be the vault/.test(message)) return 'configuration.same_folder';
  if (/lies inside the vault/.test(message)) return 'configuration.inside_vault';
  if (/configuration file .* cannot be read/.test(message)) return 'configuration.unreadable';
  return 'configuration.invalid';
}

function unknownVariables({ environment, file }: DoctorContext): readonly Finding[] {
  const known = [...SETTING_TABLE.map(({ env }) => env), ...OTHER_VARIABLES, ...namedByFile(file?.values)];
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith('LECTERN_') && !known.includes(name) && !name.startsWith('LECTERN_TEST_'),
    )
    .map((name) => {
      const meant = closest(name, known);
      return problem(
        'configuration.unknown_variable',
        `There is no setting for the variable ${name}.`,
        meant === undefined ? 'Take it out of the environment.' : `Did you mean ${meant}?`,
      );
    });
}

/** Names of the variables from which the file takes its secrets. */
function namedByFile(values: object | undefined): readonly string[] {
  return SETTING_TABLE.flatMap(({ kind, key }) => {
    const value = kind === 'secret' ? fileValue(values ?? {}, key) : undefined;
    return typeof value === 'object' && value !== null && 'env' in value ? [String(value.env)] : [];
  });
}

/** Files that contain a secret must be readable by their owner only. */
function secretFiles({ file, settings, user, privates }: DoctorContext): readonly Finding[] {
  if (user === undefined) return [];
  const paths = SETTING_TABLE.flatMap(({ kind, key, name }) => {
    const value = fileValue(file?.values ?? {}, key);
    if (kind === 'secret' && typeof value === 'object' && value !== null && 'file' in value)
      return [String(value.file)];
    return name === 'joplin.token_file' && typeof value === 'string' ? [value] : [];
  });
  const stores = (settings?.vaults ?? []).flatMap(({ secretFile }) => secretFile ?? []);
  return [...new Set([...paths, ...stores])].flatMap((path) => {
    privates.add('path', path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & 0o077) === 0 || !lstatSync(path).isFile()) return [];
    return [
      problem(
        'configuration.secret_open',
        `The file ${path} holds a secret, and other users of this machine may read it.`,
        `Close it to them: chmod 600 ${JSON.stringify(path)}.`,
      ),
    ];
  });
}

/** Checks globs, and names of tools and catalogues, which the file's schema does not know. */
async function rules({ settings, environment, flags }: DoctorContext): Promise<readonly Finding[]> {
  if (settings === undefined) return [];
  const problems = await ownerProblems(settings, flags, environment);
  return problems.map(({ message, next }) => problem(INVALID_OWNER_SETTINGS, message, next));
}
