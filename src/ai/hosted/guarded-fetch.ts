/** An answer is at most some hundred thousand tokens; more comes from no model. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The provider answered in a way that no provider does. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/**
 * Fetches from the configured provider and from nowhere else: a redirect, which could carry notes and key to another
 * host, is refused, and an answer without end is cut.
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { status } = response;
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel();
    throw new WireError('it sends requests on to another address, which is not followed');
  }
  if (response.body === null) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > MAX_ANSWER_BYTES) controller.error(new WireError('its answer has no end'));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded, { status, statusText: response.statusText, headers: response.headers });
};
