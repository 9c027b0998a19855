import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isLoopback } from '../config/loopback.ts';
import { LecternError } from '../errors.ts';

export interface DownloadOptions {
  /** Address of the hub; a file's URL is `<from>/<id>/resolve/<revision>/<file>`. */
  readonly from: string;
  /** `owner/name` or `name`. */
  readonly id: string;
  readonly revision: string;
  /** The file of weights to download when there are several. */
  readonly weights?: string;
  /** Most bytes of all files together. */
  readonly mostBytes: number;
  /** Longest time without data from the server, ms. */
  readonly idleMs: number;
  readonly signal?: AbortSignal;
  /** @param total size in bytes; undefined when the server does not state it */
  readonly onProgress?: (file: string, bytes: number, total: number | undefined) => void;
}

const SETTINGS = [
  'config.json',
  'tokenizer_config.json',
  'modules.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  '1_Pooling/config.json',
];
const ONNX = ['onnx/model.onnx', 'model.onnx'];
const STATIC = ['model.safetensors', '0_StaticEmbedding/model.safetensors'];
/** A valid path of weights inside the model; it also becomes a path on this machine. */
const WEIGHTS = /^(?:[A-Za-z0-9_][A-Za-z0-9._-]*\/)*(?:model[A-Za-z0-9._-]*\.onnx|model\.safetensors)$/;
/** Most redirects of a request. */
const MAX_REDIRECTS = 5;

/** Bytes that may still be downloaded, over all files. */
interface Budget {
  left: number;
}

/**
 * Downloads the files of a model into a folder. Only https is used, redirects included; plain http only on this
 * machine. Nothing is sent except the requests for the files.
 *
 * @throws LecternError `invalid_input` for an invalid address, id or weights, `not_found` when the hub lacks
 *   the model or usable weights, `too_large` above the limit of bytes, `unavailable` when the download fails
 */
export async function downloadModel(folder: string, options: DownloadOptions): Promise<void> {
  const base = modelAddress(options);
  if (options.weights !== undefined && !WEIGHTS.test(options.weights)) throw noWeights(options.weights);
  const budget: Budget = { left: options.mostBytes };
  const get = (file: string) => download(new URL(file, base), join(folder, file), file, budget, options);
  for (const file of SETTINGS) await get(file);
  const candidates = options.weights === undefined ? await weightsOf(folder) : [options.weights];
  for (const file of candidates) {
    if (!(await get(file))) continue;
    const beside = file.startsWith('0_') ? '0_StaticEmbedding/tokenizer.json' : 'tokenizer.json';
    if (!(await get(beside))) throw missing(options.id, beside);
    if (file.endsWith('.onnx')) await get(`${file}_data`);
    return;
  }
  throw missing(options.id, candidates.join(' or '));
}

/** The base URL of a model's files. @throws LecternError `invalid_input` */
function modelAddress({ from, id, revision }: DownloadOptions): URL {
  const parts = [...id.split('/'), revision];
  if (parts.length > 3 || !parts.every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part)))
    throw new LecternError('invalid_input', `${JSON.stringify(id)} is no id of a model.`, {
      next: 'Give it as the hub shows it: owner/name.',
    });
  if (!URL.canParse(from)) throw insecure();
  const base = new URL(from);
  checkSecure(base);
  if (base.username !== '' || base.password !== '' || base.search !== '' || base.hash !== '')
    throw insecure();
  return new URL(`${base.href.replace(/\/+$/, '')}/${id}/resolve/${revision}/`);
}

async function weightsOf(folder: string): Promise<readonly string[]> {
  const read = (name: string) => readFile(join(folder, name), 'utf8').catch(() => '');
  const isStatic =
    /"model_type"\s*:\s*"model2vec"/.test(await read('config.json')) ||
    /StaticEmbedding/.test(await read('modules.json'));
  return isStatic ? STATIC : ONNX;
}

/** Downloads one file. @returns false when the server does not have it */
async function download(
  address: URL,
  target: string,
  file: string,
  budget: Budget,
  options: DownloadOptions,
): Promise<boolean> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), options.idleMs);
  const signal = options.signal ? AbortSignal.any([options.signal, idle.signal]) : idle.signal;
  try {
    const response = await request(address, signal);
    if (response.status === 404) return false;
    if (!response.ok || response.body === null) throw failed(`status ${response.status} for ${file}`);
    const length = response.headers.get('content-length');
    const total = length === null || response.headers.has('content-encoding') ? undefined : Number(length);
    if (total !== undefined && total > budget.left) throw tooLarge(options.mostBytes);
    await mkdir(dirname(target), { recursive: true });
    let bytes = 0;
    const count = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        timer.refresh();
        bytes += chunk.length;
        budget.left -= chunk.length;
        if (budget.left < 0) throw tooLarge(options.mostBytes);
        options.onProgress?.(file, bytes, total);
        yield chunk;
      }
    };
    const body = Readable.fromWeb(response.body as import('node:stream/web').ReadableStream);
    await pipeline(body, count, createWriteStream(target), { signal });
    if (total !== undefined && bytes !== total) throw failed(`${bytes} of ${total} bytes of ${file}`);
    return true;
  } catch (error) {
    await rm(target, { force: true });
    options.signal?.throwIfAborted();
    if (error instanceof LecternError) throw error;
    throw failed(`no whole ${file}`, error);
  } finally {
    clearTimeout(timer);
  }
}

/** Follows redirects itself, as hubs redirect to other hosts and every URL must be checked. */
async function request(address: URL, signal: AbortSignal): Promise<Response> {
  let at = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await fetch(at, { redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    at = new URL(location, at);
    checkSecure(at);
  }
  throw failed('too many redirects');
}

function checkSecure(url: URL): void {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) throw insecure();
}

function insecure(): LecternError {
  return new LecternError(
    'invalid_input',
    'Models are fetched over https only, from an address without a password.',
    {
      next: 'Give the address of the hub with --from https://host.',
    },
  );
}

function noWeights(file: string): LecternError {
  return new LecternError('invalid_input', `${JSON.stringify(file)} cannot be the weights of a model.`, {
    next: 'Name a file as the hub shows it, e.g. onnx/model_int8.onnx or model.safetensors.',
  });
}

function missing(id: string, what: string): LecternError {
  return new LecternError('not_found', `The hub has no ${what} for ${JSON.stringify(id)}.`, {
    next: 'Check the id, or name the weights with --weights, e.g. onnx/model_int8.onnx.',
  });
}

function tooLarge(mostBytes: number): LecternError {
  return new LecternError('too_large', `The model has more than ${Math.round(mostBytes / 2 ** 20)} MiB.`, {
    next: 'Choose a smaller one, or smaller weights with --weights.',
  });
}

function failed(what: string, cause?: unknown): LecternError {
  return new LecternError('unavailable', `The download failed: the server gave ${what}.`, {
    ...(cause !== undefined && { cause }),
    next: 'Check the address and try again.',
  });
}
