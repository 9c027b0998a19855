import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ModelStore } from '../app/model-store.ts';
import { LecternError } from '../errors.ts';
import { inspectModel } from '../search/embed/local-model/layout.ts';
import { openLocalModel } from '../search/embed/local-model/open.ts';
import { downloadModel } from './model-download.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ModelAddFlags {
  readonly name?: string;
  readonly link?: boolean;
  readonly download?: boolean;
  readonly from?: string;
  readonly revision?: string;
  readonly weights?: string;
}

const MOST_DOWNLOAD_BYTES = 2 ** 31;
const IDLE_MS = 60_000;
/** A test sentence in four scripts, as models for one language know none of the others. */
const SENTENCE = 'Notes about the garden. 庭についてのメモ。 Заметки о саде. ملاحظات عن الحديقة';
const PROGRESS_EVERY_MS = 1000;

/**
 * Checks a model by loading it and embedding a sentence, then adds it to this machine's models under a name.
 */
export async function addModel(
  source: string,
  flags: ModelAddFlags,
  environment: Environment = process.env,
): Promise<void> {
  const store = new ModelStore(environment);
  if (flags.download) {
    await addById(store, source, flags, environment);
    return;
  }
  const folder = expanded(source);
  const name = flags.name ?? basename(resolve(folder));
  await store.checkFree(name);
  await checked(folder, source);
  if (flags.link) await store.link(name, folder);
  else await store.copy(name, folder);
  added(name);
}

/** Lists the models with their kinds; the one in use is marked. */
export async function listModels(environment: Environment = process.env): Promise<void> {
  const store = new ModelStore(environment);
  const models = await store.list();
  for (const { name, inUse, linkedTo } of models) {
    const kind = await inspectModel(store.path(name)).then(
      (layout) => (layout.kind === 'static' ? 'static' : 'onnx'),
      () => 'broken',
    );
    const where = linkedTo === undefined ? [] : [`in ${linkedTo}`];
    process.stdout.write(`${[inUse ? '*' : ' ', name, kind, ...where].join('  ')}\n`);
  }
  if (models.length === 0) process.stdout.write('No models. Add one with lectern model add <folder>.\n');
}

/** Selects the model for servers started from now on; `local` = none besides the vault's own vectors. */
export async function useModel(name: string, environment: Environment = process.env): Promise<void> {
  await new ModelStore(environment).use(name === 'local' ? undefined : name);
  process.stdout.write(`Servers started from now on use ${name}.\n`);
}

/** Removes a model from this machine. */
export async function removeModel(name: string, environment: Environment = process.env): Promise<void> {
  await new ModelStore(environment).remove(name);
  process.stdout.write(`Removed ${name}.\n`);
}

async function addById(
  store: ModelStore,
  id: string,
  flags: ModelAddFlags,
  environment: Environment,
): Promise<void> {
  const from = flags.from ?? environment.LECTERN_MODEL_HUB;
  if (!from)
    throw new LecternError('invalid_input', 'Nothing says where to fetch the model from.', {
      next: 'Give the address of a model hub with --from https://host, or set LECTERN_MODEL_HUB.',
    });
  if (flags.link)
    throw new LecternError('invalid_input', 'A model that is fetched cannot be linked.', {
      next: 'Leave out --link or --download.',
    });
  const name = flags.name ?? basename(id);
  const { revision = 'main', weights } = flags;
  const stop = new AbortController();
  const interrupted = () =>
    stop.abort(
      new LecternError('unavailable', 'The download was stopped.', { next: 'Nothing of it was kept.' }),
    );
  // Otherwise Ctrl+C would leave gigabytes of partial files.
  process.once('SIGINT', interrupted);
  await store
    .install(name, `${from.replace(/\/+$/, '')}/${id}@${revision}`, async (folder) => {
      await downloadModel(folder, {
        from,
        id,
        revision,
        ...(weights !== undefined && { weights }),
        mostBytes: MOST_DOWNLOAD_BYTES,
        idleMs: IDLE_MS,
        signal: stop.signal,
        onProgress: progress(),
      });
      await checked(folder, id);
    })
    .finally(() => process.off('SIGINT', interrupted));
  added(name);
}

/** Loads a model, embeds a sentence and prints what it is. @throws LecternError when it cannot be used */
async function checked(folder: string, source: string): Promise<void> {
  const model = await openLocalModel(folder).catch((error: unknown) => {
    if (error instanceof LecternError && error.code === 'not_found' && /^[\w.-]+\/[\w.-]+$/.test(source))
      throw new LecternError('not_found', error.message, {
        next: 'To fetch a model by its id, add --download and --from <address of the hub>.',
      });
    throw error;
  });
  try {
    const start = performance.now();
    const [vector] = await model.embed([SENTENCE], 'passage');
    const took = performance.now() - start;
    if (!vector?.some((value) => value !== 0))
      throw new LecternError('invalid_input', 'The model knows none of the words it was tried with.', {
        next: 'Choose one for the languages your notes are in.',
      });
    process.stderr.write(
      `lectern: ${model.dimensions} dimensions, one sentence in ${Math.max(1, Math.round(took))} ms.\n`,
    );
  } finally {
    await model.close?.();
  }
}

function added(name: string): void {
  process.stdout.write(`Added ${name}. Use it with: lectern model use ${name}\n`);
}

/** Prints progress: a line when a file starts, then one per second. */
function progress(): (file: string, bytes: number, total: number | undefined) => void {
  let due = 0;
  let current = '';
  return (file, bytes, total) => {
    if (file === current && bytes !== total && performance.now() < due) return;
    current = file;
    due = performance.now() + PROGRESS_EVERY_MS;
    const of = total === undefined ? '' : ` of ${megabytes(total)}`;
    process.stderr.write(`lectern: ${file} ${megabytes(bytes)}${of} MB\n`);
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

/** Expands a leading `~`, which shells do not expand inside quotes. */
function expanded(path: string): string {
  return /^~(?=$|[\\/])/.test(path) ? homedir() + path.slice(1) : path;
}
