import type { AssistantStatus } from '../assistant.ts';
import { failureOf } from './failure.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { baseUrlOf, type HostedOptions, listRequest } from './providers.ts';

const PROBE_MS = 3000;

/** Whether the provider answers and accepts the key. `problem` is a clause about the provider. */
export async function probe(
  options: HostedOptions,
  signal: AbortSignal,
): Promise<Pick<AssistantStatus, 'reachable' | 'problem'>> {
  const { url, headers } = listRequest(options);
  try {
    const response = await guardedFetch(url, {
      headers,
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
    });
    await response.body?.cancel();
    const { status } = response;
    if (status === 401 || status === 403)
      return { reachable: false, problem: `it refuses the key (${status})` };
    // A server without a list of models is reachable too.
    return status < 500 ? { reachable: true } : { reachable: false, problem: `it answers ${status}` };
  } catch (thrown) {
    signal.throwIfAborted();
    const { error } = failureOf(thrown, `${options.provider} at ${new URL(baseUrlOf(options)).host}`);
    return { reachable: false, problem: error.message.replace(/\.$/, '') };
  }
}
