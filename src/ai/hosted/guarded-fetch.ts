/** Limit of an answer, bytes: the largest answers have some hundred thousand tokens. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The answer does not follow the provider's protocol. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/**
 * A `fetch` for the configured provider only. It refuses redirects, which could send notes and the key to
 * another host, and cuts off answers that are too long.
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
