import { RE2JS } from 're2js';
import { isRecord } from '../is-record.ts';
import { pathKey } from '../notes/path.ts';

/** The texts of `.obsidian/*.json`, each undefined when the file is absent. */
export interface ObsidianSettingsFiles {
  readonly app?: string | undefined;
  readonly dailyNotes?: string | undefined;
  readonly types?: string | undefined;
  readonly templates?: string | undefined;
  readonly uniqueNotes?: string | undefined;
}

/** Obsidian's settings that concern notes, with Obsidian's defaults where a file or key is absent. */
export interface ObsidianSettings {
  readonly links: {
    readonly format: 'shortest' | 'relative' | 'absolute';
    readonly markdown: boolean;
    /** undefined when the user never chose: Obsidian then asks, Lectern updates. */
    readonly updateOnRename: boolean | undefined;
  };
  readonly newNotes: { readonly location: 'root' | 'current' | 'folder'; readonly folder: string };
  /**
   * `''` = the vault root, `./` or `./sub` = relative to the note's folder, otherwise a vault-relative folder.
   */
  readonly attachmentFolder: string;
  /** undefined when the user never chose: Obsidian's default is `system`. */
  readonly trash: 'system' | 'local' | 'none' | undefined;
  readonly ignoreFilters: readonly string[];
  readonly dailyNotes: { readonly folder: string; readonly format: string; readonly template: string };
  readonly uniqueNotes: { readonly folder: string; readonly format: string; readonly template: string };
  readonly templates: { readonly folder: string; readonly dateFormat: string; readonly timeFormat: string };
  /** Type of each property (`text`, `multitext`, `number`, `checkbox`, `date`, …) by its lower-cased name. */
  readonly propertyTypes: ReadonlyMap<string, string>;
  /** Problems with the files, as sentences for `vault_status`. */
  readonly warnings: readonly string[];
}

/** Reads the settings. It never throws: a broken file counts as absent and is reported in `warnings`. */
export function readObsidianSettings(files: ObsidianSettingsFiles): ObsidianSettings {
  const warnings: string[] = [];
  const app = new Fields('app.json', files.app, warnings);
  const daily = new Fields('daily-notes.json', files.dailyNotes, warnings);
  const unique = new Fields('zk-prefixer.json', files.uniqueNotes, warnings);
  const templates = new Fields('templates.json', files.templates, warnings);
  const types = new Fields('types.json', files.types, warnings);
  return {
    links: {
      format: app.oneOf('newLinkFormat', ['shortest', 'relative', 'absolute']),
      markdown: app.flag('useMarkdownLinks') ?? false,
      updateOnRename: app.flag('alwaysUpdateLinks'),
    },
    newNotes: {
      location: app.oneOf('newFileLocation', ['root', 'current', 'folder']),
      folder: folderOf(app.text('newFileFolderPath', '')),
    },
    attachmentFolder: attachmentFolderOf(app.text('attachmentFolderPath', '/')),
    trash: app.chosen('trashOption', ['system', 'local', 'none']),
    ignoreFilters: app.texts('userIgnoreFilters'),
    dailyNotes: {
      folder: folderOf(daily.text('folder', '')),
      format: daily.text('format', 'YYYY-MM-DD'),
      template: folderOf(daily.text('template', '')),
    },
    uniqueNotes: {
      folder: folderOf(unique.text('folder', '')),
      format: unique.text('format', 'YYYYMMDDHHmm'),
      template: folderOf(unique.text('template', '')),
    },
    templates: {
      folder: folderOf(templates.text('folder', '')),
      dateFormat: templates.text('dateFormat', '') || templates.text('date_format', 'YYYY-MM-DD'),
      timeFormat: templates.text('timeFormat', '') || templates.text('time_format', 'HH:mm'),
    },
    propertyTypes: types.textMap('types'),
    warnings,
  };
}

/**
 * Compiles the vault's "Excluded files" into one test of a vault-relative path. A filter is a path prefix or a
 * `/regex/`; both ignore case. RE2 runs every regular expression in linear time.
 *
 * @returns the test, and a sentence for each filter that RE2 does not support (look-around, back references)
 */
export function ignoreFilterMatcher(filters: readonly string[]): {
  readonly test: (path: string) => boolean;
  readonly warnings: readonly string[];
} {
  const prefixes: string[] = [];
  const patterns: RE2JS[] = [];
  const warnings: string[] = [];
  for (const filter of filters) {
    if (filter.length < 3 || !filter.startsWith('/') || !filter.endsWith('/')) {
      const prefix = pathKey(filter.replace(/^\/+/, ''));
      if (prefix !== '') prefixes.push(prefix);
      continue;
    }
    try {
      patterns.push(RE2JS.compile(RE2JS.translateRegExp(filter.slice(1, -1)), RE2JS.CASE_INSENSITIVE));
    } catch {
      warnings.push(`The excluded-files filter ${filter} is not supported and hides nothing.`);
    }
  }
  const test = (path: string): boolean => {
    const key = pathKey(path);
    return (
      prefixes.some((prefix) => key.startsWith(prefix)) || patterns.some((one) => one.matcher(path).find())
    );
  };
  return { test, warnings };
}

/** One settings file: typed access to its top-level keys, with a warning for a value of the wrong type. */
class Fields {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(
    private readonly file: string,
    text: string | undefined,
    private readonly warnings: string[],
  ) {
    this.values = this.parse(text);
  }

  text(key: string, fallback: string): string {
    const value = this.get(key);
    if (typeof value === 'string') return value === '' ? fallback : value;
    if (value !== undefined) this.warn(key, 'text');
    return fallback;
  }

  flag(key: string): boolean | undefined {
    const value = this.get(key);
    if (typeof value === 'boolean') return value;
    if (value !== undefined) this.warn(key, 'true or false');
    return undefined;
  }

  /** The first choice is the default. */
  oneOf<T extends string>(key: string, choices: readonly [T, ...T[]]): T {
    return this.chosen(key, choices) ?? choices[0];
  }

  chosen<T extends string>(key: string, choices: readonly T[]): T | undefined {
    const value = this.get(key);
    const chosen = choices.find((choice) => choice === value);
    if (chosen === undefined && value !== undefined) this.warn(key, `one of ${choices.join(', ')}`);
    return chosen;
  }

  texts(key: string): readonly string[] {
    const value = this.get(key);
    if (value === undefined) return [];
    const list = Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
    if (!Array.isArray(value) || list.length < value.length) this.warn(key, 'a list of texts');
    return list.filter((one) => one.trim() !== '');
  }

  textMap(key: string): ReadonlyMap<string, string> {
    const value = this.get(key);
    if (value === undefined) return new Map();
    if (!isRecord(value)) {
      this.warn(key, 'a map');
      return new Map();
    }
    const entries = Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return new Map(entries.map(([name, type]) => [name.toLowerCase(), type]));
  }

  /** The value of a key; undefined when absent or null, which Obsidian writes for "not set". */
  private get(key: string): unknown {
    return Object.hasOwn(this.values, key) ? (this.values[key] ?? undefined) : undefined;
  }

  private parse(text: string | undefined): Readonly<Record<string, unknown>> {
    if (text === undefined || text.trim() === '') return {};
    try {
      const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
      if (isRecord(value)) return value;
    } catch {
      // The warning below reports it; the defaults apply.
    }
    this.warnings.push(`.obsidian/${this.file} is not a JSON object; its defaults are used.`);
    return {};
  }

  private warn(key: string, expected: string): void {
    this.warnings.push(`.obsidian/${this.file}: "${key}" is not ${expected}; its default is used.`);
  }
}

/** Normalises a folder setting: Obsidian accepts backslashes, repeated slashes, and slashes at both ends. */
function folderOf(written: string): string {
  return written
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^\/|\/$/g, '')
    .normalize('NFC');
}

function attachmentFolderOf(written: string): string {
  const path = written.replaceAll('\\', '/');
  return path === './' || path === '.' ? './' : folderOf(path);
}
