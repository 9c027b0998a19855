import { readdir, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { LecternError } from '../../../errors.ts';
import { SafetensorsFile } from './safetensors.ts';

interface Layout {
  /** The model's folder. */
  readonly root: string;
  /** Everything the vectors depend on, below the root with forward slashes, in a fixed order. */
  readonly files: readonly string[];
}

export interface StaticLayout extends Layout {
  readonly kind: 'static';
  /** Below the root: where the table and its tokenizer are; empty = the root itself. */
  readonly folder: string;
  /** Name of the table in model.safetensors. */
  readonly tensor: 'embeddings' | 'embedding.weight';
}

export interface OnnxLayout extends Layout {
  readonly kind: 'onnx';
  /** The graph, below the root. */
  readonly model: string;
  /** Weights beside a graph that is larger than a protobuf message may be. */
  readonly externalData: string | undefined;
}

export type ModelLayout = StaticLayout | OnnxLayout;

const STATIC_FOLDERS = ['', '0_StaticEmbedding'];
const STATIC_TENSORS = ['embeddings', 'embedding.weight'] as const;
/** Full precision first; of the rest those that run on every processor. */
const ONNX_PREFERENCE = ['model.onnx', 'model_quantized.onnx', 'model_int8.onnx', 'model_uint8.onnx'];
const SETTINGS_FILES = [
  'tokenizer_config.json',
  'config.json',
  'modules.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  '1_Pooling/config.json',
];

/**
 * Determines the kind of model in a folder from its files: models of either kind come with files of
 * the other.
 * @throws LecternError `not_found` when there is no such folder, `invalid_input` when it holds no model
 */
export async function inspectModel(root: string): Promise<ModelLayout> {
  if (!(await isKind(root, 'folder')))
    throw new LecternError('not_found', `There is no folder ${JSON.stringify(root)}.`, {
      next: 'See what there is with lectern model list.',
    });
  const layout = (await staticLayout(root)) ?? (await onnxLayout(root));
  if (layout) return layout;
  throw new LecternError('invalid_input', 'The folder holds no model that can be used here.', {
    next: 'It needs tokenizer.json and either model.onnx (or onnx/model.onnx) or a static table in model.safetensors.',
  });
}

async function staticLayout(root: string): Promise<StaticLayout | undefined> {
  for (const folder of STATIC_FOLDERS) {
    const weights = posix.join(folder, 'model.safetensors');
    if (!(await isKind(join(root, weights), 'file'))) continue;
    const file = await SafetensorsFile.open(join(root, weights));
    await file.close();
    const tensor = STATIC_TENSORS.find((name) => file.tensors.has(name));
    if (tensor === undefined) continue;
    const rest = ['tokenizer.json', 'tokenizer_config.json', 'config.json'];
    const files = [
      weights,
      ...(await present(
        root,
        rest.map((name) => posix.join(folder, name)),
      )),
    ];
    return { kind: 'static', root, folder, tensor, files };
  }
  return undefined;
}

async function onnxLayout(root: string): Promise<OnnxLayout | undefined> {
  for (const folder of ['', 'onnx']) {
    const model = await onnxIn(root, folder);
    if (model === undefined) continue;
    const [externalData] = await present(root, [`${model}_data`]);
    const files = [
      model,
      ...(externalData === undefined ? [] : [externalData]),
      ...(await present(root, ['tokenizer.json', ...SETTINGS_FILES])),
    ];
    return { kind: 'onnx', root, model, externalData, files };
  }
  return undefined;
}

async function onnxIn(root: string, folder: string): Promise<string | undefined> {
  const entries = await readdir(join(root, folder)).catch(() => []);
  const rank = (name: string) => ONNX_PREFERENCE.indexOf(name) + 1 || ONNX_PREFERENCE.length + 1;
  const [best] = entries
    .filter((name) => /^model.*\.onnx$/.test(name))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return best === undefined ? undefined : posix.join(folder, best);
}

async function present(root: string, files: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const file of files) if (await isKind(join(root, file), 'file')) found.push(file);
  return found;
}

async function isKind(path: string, kind: 'file' | 'folder'): Promise<boolean> {
  try {
    const found = await stat(path);
    return kind === 'file' ? found.isFile() : found.isDirectory();
  } catch {
    return false;
  }
}
