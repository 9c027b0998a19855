import { checkPlace } from '../../app/open-store.ts';
import { configPlace, fromHome } from '../../config/file/place.ts';
import { loadSettings, readConfig } from '../../config/load.ts';
import { namesVault } from '../../config/shown-settings.ts';
import { LecternError } from '../../errors.ts';
import type { McpClient } from '../clients/client.ts';
import type { Places } from '../clients/places.ts';
import { CLIENTS, clientNamed, clientsFound } from '../clients/table.ts';
import { type FoundVault, findVaults } from './found-vaults.ts';
import { Asked, type Questions } from './questions.ts';

export interface InitFlags {
  readonly vault?: readonly string[];
  readonly config?: string;
  readonly client?: readonly string[];
  readonly readOnly?: boolean;
  readonly deny?: readonly string[];
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly remove?: boolean;
  readonly print?: boolean;
  readonly json?: boolean;
}

/** The notes and rights that an agent gets. */
export interface Grant {
  /** Values for `--vault` with absolute paths; empty = the vaults of the configuration file. */
  readonly vaults: readonly string[];
  readonly readOnly: boolean;
  /** Globs of paths that are hidden. */
  readonly deny: readonly string[];
}

/**
 * Determines the notes and rights that an agent gets, from the flags, then by asking the user, or else by
 * default.
 *
 * @param questions undefined = not interactive
 * @throws LecternError `invalid_input` when the vault cannot be determined; also the errors of loading the
 *   settings and opening the vaults, and `forbidden` when the user quits
 */
export async function chooseGrant(
  flags: InitFlags,
  places: Places,
  questions: Questions | undefined,
): Promise<Grant> {
  const { environment } = places;
  const file = await readConfig(configPlace(flags.config, environment));
  const chosen =
    flags.vault?.length || namesVault({}, environment, file)
      ? flags.vault
      : [await chooseVault(await findVaults(places), questions)];
  const vaults = await checkedVaults({ ...flags, ...(chosen && { vault: chosen }) }, places);
  const readOnly =
    flags.readOnly ??
    !((await questions?.yes('May an agent change your notes? With no it can only read them.', true)) ?? true);
  const deny =
    flags.deny ??
    (await questions?.ask('Folders that it must not see, with commas between', 'none', (answer) =>
      answer === 'none' ? [] : answer.split(','),
    )) ??
    [];
  return { vaults, readOnly, deny: deny.map(asGlob) };
}

async function chooseVault(found: readonly FoundVault[], questions: Questions | undefined): Promise<string> {
  const [first, ...others] = found;
  if (questions === undefined) {
    // A single vault needs no question.
    if (first !== undefined && others.length === 0) return first.vault;
    throw new LecternError('invalid_input', 'It is not said which notes.', {
      next: `Name their folder: --vault <folder>.${found.map(({ vault, about }) => `\n  ${vault} (${about})`).join('')}`,
    });
  }
  if (first === undefined) process.stdout.write('No other note program was found on this machine.\n');
  else {
    process.stdout.write('Notes on this machine:\n');
    for (const [at, { vault, about }] of found.entries())
      process.stdout.write(`  ${at + 1}  ${vault}  (${about})\n`);
  }
  const question =
    first === undefined ? 'Folder of your notes' : 'Which? A number, or the folder of your notes';
  return await questions.ask(question, first === undefined ? '.' : '1', (answer) => {
    const vault = /^\d+$/.test(answer) ? found[Number(answer) - 1]?.vault : answer;
    return vault ?? new Asked(`There is no ${answer}.`);
  });
}

/** Values for `--vault` as a server resolves them, with absolute paths; every vault's place is checked. */
async function checkedVaults(flags: InitFlags, { environment }: Places): Promise<readonly string[]> {
  const { settings } = await loadSettings(
    { ...(flags.vault && { vault: flags.vault }), ...(flags.config && { config: flags.config }) },
    environment,
  );
  for (const vault of settings.vaults) await checkPlace(vault);
  const isFromFile = !flags.vault?.length && !environment.LECTERN_VAULT && !environment.INDX_VAULT;
  if (isFromFile) return [];
  return settings.vaults.map(({ name, location }) =>
    settings.vaults.length > 1 ? `${name}=${location}` : location,
  );
}

/**
 * Converts a folder to a glob of everything in it; a glob or a note stays.
 *
 * @throws LecternError `invalid_input`
 */
function asGlob(given: string): string {
  const folder = given.trim().replace(/^\.?\/+|\/+$/g, '');
  if (folder === '' || folder.startsWith('-'))
    throw new LecternError('invalid_input', `${JSON.stringify(given)} is no folder that can be kept out.`, {
      next: 'Name it as it is called in the notes: --deny Journal "Work/Clients".',
    });
  return /[*?{[]|\.md$/.test(folder) ? folder : `${folder}/**`;
}

/**
 * Determines the clients to set up, from the flags, then by asking the user, or else those installed.
 *
 * @throws LecternError `invalid_input` for an unknown client or when none is installed, `forbidden` when the
 *   user quits
 */
export async function chooseClients(
  flags: InitFlags,
  places: Places,
  questions: Questions | undefined,
): Promise<readonly McpClient[]> {
  const found = clientsFound(places);
  if (flags.client !== undefined && flags.client.length > 0) {
    const chosen = new Set(
      flags.client.flatMap((word) => word.split(',')).flatMap((word) => named(word, found)),
    );
    return CLIENTS.filter((client) => chosen.has(client));
  }
  if (questions === undefined) {
    if (found.length > 0) return found;
    throw new LecternError('invalid_input', 'No client was found on this machine.', {
      next: `Name the one that you will use with --client: ${CLIENTS.map(({ id }) => id).join(', ')}; all of them with --client all.`,
    });
  }
  const listed = found.length > 0 ? found : CLIENTS;
  process.stdout.write(
    found.length > 0 ? 'Clients on this machine:\n' : 'No client was found; these can be set up:\n',
  );
  for (const [at, { name }] of listed.entries()) process.stdout.write(`  ${at + 1}  ${name}\n`);
  return await questions.ask(
    'Which get your notes? Numbers with commas between, or all',
    found.length > 0 ? 'all' : '1',
    (answer) => {
      if (answer === 'all') return listed;
      const chosen = answer.split(/[\s,]+/).map((word) => listed[Number(word) - 1]);
      return chosen.every((client) => client !== undefined)
        ? chosen
        : new Asked(`Answer all, or with numbers from 1 to ${listed.length}.`);
    },
  );
}

function named(word: string, found: readonly McpClient[]): readonly McpClient[] {
  if (word === 'all') return CLIENTS;
  if (word === 'found') return found;
  const client = clientNamed(word);
  if (client !== undefined) return [client];
  throw new LecternError('invalid_input', `There is no client ${JSON.stringify(word.slice(0, 40))}.`, {
    next: `Clients: ${CLIENTS.map(({ id }) => id).join(', ')}, all (whether they are there or not), found (the usual).`,
  });
}

/** The arguments of a server that grants exactly this. */
export function grantArguments(
  { vaults, readOnly, deny }: Grant,
  config: string | undefined,
): readonly string[] {
  return [
    'mcp',
    'serve',
    '--stdio',
    ...(config === undefined ? [] : ['--config', fromHome(config, process.cwd())]),
    ...vaults.flatMap((vault) => ['--vault', vault]),
    ...(readOnly ? ['--read-only'] : []),
    ...(deny.length > 0 ? ['--deny-read', ...deny] : []),
  ];
}
