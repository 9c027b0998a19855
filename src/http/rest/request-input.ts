import { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { hasTooManyValues, MESSAGE_VALUES } from '../../mcp/json-values.ts';
import { inputSchema } from '../../operations/call/json-schema.ts';
import type { RoutedOperation } from '../../operations/operation.ts';

export interface RequestParts {
  readonly request: Request;
  readonly url: URL;
  readonly operation: RoutedOperation;
  /** From the route. */
  readonly values: Readonly<Record<string, string>>;
  readonly maxBodyBytes: number;
}

/**
 * The operation's arguments from path, query, body and headers.
 *
 * @throws LecternError `invalid_input`, `too_large`
 */
export async function requestInput(parts: RequestParts): Promise<Record<string, unknown>> {
  const { request, url, operation, values } = parts;
  const input: Record<string, unknown> = {};
  const reads = ['GET', 'HEAD', 'DELETE'].includes(operation.rest.method);
  const body = reads ? {} : await bodyOf(parts);
  const key = request.headers.get('idempotency-key');
  const fromHeader = key === null ? {} : { idempotency_key: key };
  for (const source of [body, queryOf(url, operation), fromHeader, values]) {
    for (const [name, value] of Object.entries(source)) {
      if (Object.hasOwn(input, name) && JSON.stringify(input[name]) !== JSON.stringify(value)) {
        throw new LecternError('invalid_input', `${name} is given twice, with different values.`, {
          details: { missing: [], unknown: [], invalid: [{ key: name, problem: 'given twice' }] },
          next: 'Give it once: in the path, the query, a header or the body.',
        });
      }
      input[name] = value;
    }
  }
  return input;
}

/** A key given several times is a list; words of a fixed set may also be separated by commas. */
function queryOf(url: URL, operation: RoutedOperation): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  const { properties } = inputSchema(operation.input);
  for (const key of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(key);
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property?.type === 'array' && property.items?.enum)
      query[key] = values.flatMap((value) => value.split(','));
    else query[key] = values.length === 1 ? values[0] : values;
  }
  return query;
}

async function bodyOf({ request, operation, maxBodyBytes }: RequestParts): Promise<Record<string, unknown>> {
  const text = await textOf(request, maxBodyBytes);
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const properties = inputSchema(operation.input).properties;
  if (/^text\/(markdown|plain)$/.test(type) && Object.hasOwn(properties, 'body')) return { body: text };
  if (text.trim() === '') return {};
  if (type !== '' && !/^application\/([\w.-]+\+)?json$/.test(type)) {
    throw new LecternError('invalid_input', `A body of type ${type} is not understood.`, {
      next: 'Send application/json, or text/markdown where a note is put.',
    });
  }
  if (hasTooManyValues(text))
    throw new LecternError('too_large', `The body has more than ${MESSAGE_VALUES} values.`, {
      details: { limit: MESSAGE_VALUES },
      next: 'Nothing was changed. Send less at once, in several calls.',
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LecternError('invalid_input', 'The body is not JSON.', { next: 'Send one JSON object.' });
  }
  if (Array.isArray(value) && Object.hasOwn(properties, 'ops')) return { ops: value };
  // A canvas may be sent as plain JSON.
  const isCanvas = isRecord(value) && ('nodes' in value || 'edges' in value) && !('canvas' in value);
  if (isCanvas && Object.hasOwn(properties, 'canvas')) return { canvas: value };
  if (isRecord(value)) return { ...value };
  throw new LecternError('invalid_input', 'The body is not a JSON object.', {
    next: 'Send one JSON object.',
  });
}

async function textOf(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let bytes = 0;
  let text = '';
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        throw new LecternError('too_large', `The body is larger than ${maxBytes} bytes.`, {
          details: { limit: maxBytes },
        });
      }
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new LecternError('invalid_input', 'The body is not UTF-8.');
    throw error;
  }
}
