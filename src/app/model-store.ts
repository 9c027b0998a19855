import {
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { inUseFile, isModelName, modelInUse, modelsFolder } from '../config/models-folder.ts';
import { makeAllPrivate, makePrivate } from '../config/private-folder.ts';
import { isLecternError, LecternError } from '../errors.ts';
import { fileDigest } from '../search/embed/local-model/fingerprint.ts';
import { inspectModel } from '../search/embed/local-model/layout.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface StoredModel {
  readonly name: string;
  readonly inUse: boolean;
  /** Folder of the files when they were not copied. */
  readonly linkedTo: string | undefined;
}

/** Stored beside a copied model's files: what was added, and its origin. */
const RECORD_FILE = 'lectern-model.json';
/** Unfinished folders; no model's name starts with a dot. */
const INCOMING = '.incoming-';

/** The models of this machine, one folder each; linked ones are symbolic links (junctions on Windows). */
export class ModelStore {
  readonly #environment: Environment;
  readonly #folder: string;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#folder = modelsFolder(environment);
  }

  async list(): Promise<StoredModel[]> {
    const entries = await readdir(this.#folder, { withFileTypes: true }).catch(() => []);
    const chosen = modelInUse(this.#environment);
    const models = entries
      .filter((entry) => isModelName(entry.name) && (entry.isDirectory() || entry.isSymbolicLink()))
      .map(async (entry) => ({
        name: entry.name,
        inUse: entry.name === chosen,
        linkedTo: entry.isSymbolicLink() ? await readlink(this.path(entry.name)) : undefined,
      }));
    return (await Promise.all(models)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  path(name: string): string {
    return join(this.#folder, name);
  }

  /** @throws LecternError `invalid_input` for an invalid name, `exists` for one that is taken */
  async checkFree(name: string): Promise<void> {
    if (!isModelName(name))
      throw new LecternError('invalid_input', `${JSON.stringify(name)} cannot be a model's name.`, {
        next: 'Give another with --name: letters, digits, dots, dashes and underscores.',
      });
    if (await lstat(this.path(name)).catch(() => undefined))
      throw new LecternError('exists', `There is a model ${JSON.stringify(name)} already.`, {
        next: 'Give another name with --name, or remove it first with lectern model remove.',
      });
  }

  /**
   * Fills a new folder and renames it to its name when complete; nothing remains when `fill` fails.
   * @param source recorded: the folder or address of the files
   */
  async install(name: string, source: string, fill: (folder: string) => Promise<void>): Promise<void> {
    await this.checkFree(name);
    makePrivate(this.#folder);
    const folder = await mkdtemp(join(this.#folder, INCOMING));
    try {
      await fill(folder);
      await writeRecord(folder, source);
      makeAllPrivate(folder);
      await rename(folder, this.path(name));
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      if (isLecternError(error)) throw error;
      throw new LecternError('unavailable', 'The model cannot be kept.', {
        cause: error,
        next: `Check that there is room, and that ${JSON.stringify(this.#folder)} can be written.`,
      });
    }
  }

  /** Copies only the files a model needs: folders of models contain the same weights in several formats. */
  async copy(name: string, source: string): Promise<void> {
    const { files } = await inspectModel(source);
    await this.install(name, resolve(source), async (folder) => {
      for (const file of files) {
        await mkdir(dirname(join(folder, file)), { recursive: true });
        await copyFile(join(source, file), join(folder, file));
      }
    });
  }

  async link(name: string, source: string): Promise<void> {
    await this.checkFree(name);
    makePrivate(this.#folder);
    await symlink(resolve(source), this.path(name), 'junction');
  }

  /** @param name undefined = none: only the vectors learned from the vault */
  async use(name: string | undefined): Promise<void> {
    const file = inUseFile(this.#environment);
    if (name === undefined) {
      await rm(file, { force: true });
      return;
    }
    await this.#existing(name);
    await writeFile(file, `${name}\n`, { mode: 0o600 });
  }

  /** Removes a copy, or a link without its target. */
  async remove(name: string): Promise<void> {
    const { linkedTo } = await this.#existing(name);
    if (modelInUse(this.#environment) === name) await this.use(undefined);
    if (linkedTo === undefined) await rm(this.path(name), { recursive: true, force: true });
    else await unlink(this.path(name));
  }

  async #existing(name: string): Promise<StoredModel> {
    const models = await this.list();
    const found = models.find((model) => model.name === name);
    if (found) return found;
    const names = models.map((model) => model.name).join(', ');
    throw new LecternError('not_found', `There is no model ${JSON.stringify(name)}.`, {
      next: names === '' ? 'Add one with lectern model add <folder>.' : `There are: ${names}.`,
    });
  }
}

async function writeRecord(folder: string, source: string): Promise<void> {
  const { files } = await inspectModel(folder);
  const digests = await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file);
      return { file, bytes: (await lstat(path)).size, sha256: await fileDigest(path) };
    }),
  );
  const record = { source, added: new Date().toISOString(), files: digests };
  await writeFile(join(folder, RECORD_FILE), `${JSON.stringify(record, undefined, 2)}\n`);
}
