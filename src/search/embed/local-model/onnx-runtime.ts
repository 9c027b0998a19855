import { availableParallelism } from 'node:os';
import { LecternError } from '../../../errors.ts';

/** What is used of the interface that `onnxruntime-node` and `onnxruntime-web` share. */
export interface OnnxTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
}

export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(
    feeds: Readonly<Record<string, OnnxTensor>>,
    options: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, OnnxTensor>>>;
  release(): Promise<void>;
}

interface OnnxModule {
  readonly InferenceSession: {
    create(model: Uint8Array | string, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => OnnxTensor;
  readonly env: { logLevel?: string; readonly wasm?: { numThreads?: number } };
}

export interface OnnxRuntime {
  readonly name: 'onnxruntime-node' | 'onnxruntime-web';
  readonly module: OnnxModule;
  readonly sessionOptions: Readonly<Record<string, unknown>>;
}

/** What goes wrong arrives as an error; lines on standard error would come in addition. */
export const QUIET = { logSeverityLevel: 4 } as const;

/** Native code first: it is two to three times as fast as WebAssembly. */
const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const;

/**
 * The ONNX runtime that is installed beside Lectern; neither is a dependency, most people need none.
 * @param load imports a package by name
 * @throws LecternError `unavailable` that says what to install
 */
export async function findOnnxRuntime(
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<OnnxRuntime> {
  const reasons: unknown[] = [];
  for (const name of RUNTIMES) {
    try {
      return prepared(name, moduleOf(await load(name)));
    } catch (error) {
      // Not installed, or installed without its native part: the next may do.
      reasons.push(error);
    }
  }
  throw new LecternError('unavailable', 'The model needs an ONNX runtime, and none is installed.', {
    cause: new AggregateError(reasons),
    next: 'Install onnxruntime-node beside Lectern (npm install -g onnxruntime-node when Lectern is installed globally), or onnxruntime-web where that does not run.',
  });
}

function prepared(name: OnnxRuntime['name'], module: OnnxModule): OnnxRuntime {
  // Half of the processors: this runs beside the owner's own work.
  const threads = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
  module.env.logLevel = 'fatal';
  // Its threads are workers that are started anew for each thread of ours; one is enough there.
  if (module.env.wasm) module.env.wasm.numThreads = 1;
  const sessionOptions =
    name === 'onnxruntime-node'
      ? { executionProviders: ['cpu'], intraOpNumThreads: threads, interOpNumThreads: 1, ...QUIET }
      : { executionProviders: ['wasm'], ...QUIET };
  return { name, module, sessionOptions };
}

/** CommonJS packages arrive as the default export. */
function moduleOf(imported: unknown): OnnxModule {
  const candidates = [imported, (imported as { default?: unknown } | undefined)?.default];
  const found = candidates.find(
    (each) => typeof (each as OnnxModule | undefined)?.InferenceSession?.create === 'function',
  );
  if (found === undefined) throw new Error('The package has no InferenceSession.');
  return found as OnnxModule;
}
