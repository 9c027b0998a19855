import { configPlace } from '../config/file/place.ts';
import { configJsonSchema } from '../config/file/schema.ts';
import { loadSettings, readConfig } from '../config/load.ts';
import { type GivenFlags, namesVault, type ShownSetting, shownSettings } from '../config/shown-settings.ts';

/** Prints the path of the configuration file. */
export function printConfigPath(flags: GivenFlags): void {
  process.stdout.write(`${configPlace(flags.config, process.env).path}\n`);
}

/** Prints the JSON Schema of the configuration file. */
export function printConfigSchema(): void {
  process.stdout.write(`${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
}

/**
 * Prints every setting with the value and source it has for a server started with these flags.
 *
 * @throws LecternError for settings with which no server would start
 */
export async function printConfig(flags: GivenFlags): Promise<void> {
  const file = await readConfig(configPlace(flags.config, process.env));
  const loaded = namesVault(flags, process.env, file) ? await loadSettings(flags, process.env) : undefined;
  const rows = shownSettings(flags, process.env, file, loaded?.settings).map((row) => ({
    setting: row.setting,
    value: row.value,
    origin: originText(row),
  }));
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
    return;
  }
  const width = Math.max(...rows.map(({ setting }) => setting.length));
  for (const { setting, value, origin } of rows) {
    const shown = value === null || (Array.isArray(value) && value.length === 0) ? '-' : String(value);
    const from = flags.origin === true ? `  (${origin})` : '';
    process.stdout.write(`${setting.padEnd(width)}  ${shown}${from}\n`);
  }
}

function originText({ origin, where }: ShownSetting): string {
  if (origin === 'combined') return 'in effect';
  if (where === undefined) return origin;
  return origin === 'file' ? where : `${origin} ${where}`;
}
