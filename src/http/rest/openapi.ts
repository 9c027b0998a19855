import * as z from 'zod';
import { ERROR_CODES } from '../../errors.ts';
import { inputSchema, type PropertySchema } from '../../operations/call/json-schema.ts';
import type { Offer } from '../../operations/offer.ts';
import { type RoutedOperation, routesOf } from '../../operations/operation.ts';
import { rowsKey } from '../../operations/shared/rows.ts';

type Json = Record<string, unknown>;

const ERROR = { $ref: '#/components/responses/Error' };
const documents = new WeakMap<Offer, Json>();

/** The OpenAPI 3.1 description of every route, from the same schemas that check the requests. */
export function openApiDocument(offer: Offer, version: string): Json {
  const known = documents.get(offer);
  if (known !== undefined) return known;
  const several = offer.vaults !== undefined;
  const paths: Record<string, Json> = {
    '/v1/events': { get: ofVault(EVENTS, several) },
    '/v1/files/{path}': { get: ofVault(FILE, several), head: ofVault(FILE_HEAD, several) },
  };
  if (several) paths['/v1/vaults'] = { get: VAULTS };
  for (const operation of routesOf(offer.operations)) {
    const { method, path } = operation.rest;
    const item = paths[path] ?? {};
    item[method.toLowerCase()] = ofVault(operationObject(operation), several);
    paths[path] = item;
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Lectern',
      version,
      description: several ? `${ABOUT} ${ABOUT_SEVERAL}` : ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: COMPONENTS,
  };
  documents.set(offer, document);
  return document;
}

const ABOUT =
  'Notes of a vault. Answers are {ok, data} or {ok, error}. A path parameter may hold slashes, plain or as %2F.';
const ABOUT_SEVERAL =
  'There are several vaults: vault in the query says which one, and the first is meant without it. /v1/vaults names them.';

/** The same with the parameter that chooses a vault. Names of vaults are not included. */
function ofVault<T extends { readonly parameters: readonly Json[] }>(operation: T, several: boolean): T {
  if (!several) return operation;
  return { ...operation, parameters: [...operation.parameters, VAULT_PARAMETER] };
}

function operationObject(operation: RoutedOperation): Json & { readonly parameters: readonly Json[] } {
  const { rest } = operation;
  const inPath = [...rest.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const schema = inputSchema(operation.input);
  const others = Object.entries(schema.properties).filter(([name]) => !inPath.includes(name));
  const inQuery = ['GET', 'HEAD', 'DELETE'].includes(rest.method);
  const isRequired = (name: string) => schema.required?.includes(name) === true;
  return {
    operationId: rest === operation.restByPath ? `${operation.name}_by_path` : operation.name,
    summary: operation.title,
    description: operation.description,
    tags: [operation.cli?.noun ?? operation.name.replace(/_.*/, '')],
    'x-scope': operation.scope,
    parameters: [
      ...inPath.map((name) => parameter('path', name, schema.properties[name] ?? {}, true)),
      ...(inQuery ? others.map(([name, held]) => parameter('query', name, held, isRequired(name))) : []),
      ...headerParameters(operation),
    ],
    ...(!inQuery && { requestBody: requestBody(operation, others, isRequired) }),
    responses: { ...successes(operation), default: ERROR },
  };
}

function parameter(place: 'path' | 'query', name: string, schema: PropertySchema, required: boolean): Json {
  const { description, ...bare } = schema;
  const head = { name, in: place, required, ...(description !== undefined && { description }) };
  // An object in a query is written as JSON.
  if (bare.type === 'object') return { ...head, content: { 'application/json': { schema: bare } } };
  return { ...head, schema: bare };
}

function headerParameters({ input, effects, rest }: RoutedOperation): Json[] {
  const takes = (key: string) => Object.hasOwn(input.shape, key);
  return [
    ...(takes('if_match') ? [textHeader('If-Match', 'ETag it must still have; else 412')] : []),
    ...(takes('if_not_exists') ? [textHeader('If-None-Match', '*: it must be new; else 412')] : []),
    ...(takes('idempotency_key')
      ? [textHeader('Idempotency-Key', 'A repetition is answered as the first')]
      : []),
    ...(effects === 'reads' && rest.method === 'GET'
      ? [textHeader('If-None-Match', 'ETag of the answer you have; 304 when it is still right')]
      : []),
  ];
}

function requestBody(
  operation: RoutedOperation,
  fields: readonly (readonly [string, PropertySchema])[],
  isRequired: (name: string) => boolean,
): Json {
  const required = fields.map(([name]) => name).filter(isRequired);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return {
    required: required.length > 0,
    content: {
      'application/json': { schema },
      ...(Object.hasOwn(operation.input.shape, 'body') && {
        'text/markdown': { schema: { type: 'string' } },
      }),
    },
  };
}

function successes(operation: RoutedOperation): Json {
  if (operation.rest.method === 'HEAD') {
    return {
      200: { description: 'It exists; the ETag of a note is its version.' },
      404: { description: 'It does not.' },
    };
  }
  const data = outputSchema(operation.output);
  const envelope = {
    type: 'object',
    properties: { ok: { type: 'boolean', enum: [true] }, data },
    required: ['ok', 'data'],
  };
  const rows = rowsKey(operation);
  const content = {
    'application/json': { schema: envelope },
    ...(rows !== undefined && {
      'application/x-ndjson': { schema: { type: 'string', description: `One of ${rows} per line, as JSON` } },
    }),
  };
  const success = {
    description: operation.title,
    headers: { ETag: { schema: { type: 'string' } } },
    content,
  };
  return {
    200: success,
    ...(Object.hasOwn(operation.output.shape, 'created') && { 201: { ...success, description: 'Created' } }),
    ...(operation.effects === 'reads' && { 304: { description: 'Unchanged since If-None-Match' } }),
  };
}

function outputSchema(output: z.ZodObject): Json {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(output, { io: 'output' });
  return schema;
}

const VAULT_PARAMETER = {
  name: 'vault',
  in: 'query',
  required: false,
  description: 'Name of the vault; the first when left out',
  schema: { type: 'string' },
};

const VAULTS = {
  operationId: 'vaults',
  summary: 'Names of the vaults',
  description: 'The vaults that the caller may use, in the order of the server.',
  tags: ['vault'],
  'x-scope': 'vault:read',
  parameters: [],
  responses: {
    200: {
      description: 'The vaults',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              ok: { type: 'boolean', enum: [true] },
              data: {
                type: 'object',
                properties: {
                  vaults: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: { vault: { type: 'string' }, default: { type: 'boolean' } },
                      required: ['vault', 'default'],
                    },
                  },
                },
                required: ['vaults'],
              },
            },
            required: ['ok', 'data'],
          },
        },
      },
    },
    default: ERROR,
  },
};

const EVENTS = {
  operationId: 'events',
  summary: 'Changes as they happen',
  description:
    'Server-sent events note.updated and note.removed with {sequence, path, etag}. Goes on behind Last-Event-ID, or since, which is such an id: nothing is missed, nothing told twice, of a file that changed several times its last state. The event reset says that this cannot be known, as the index was built anew: list again, then go on from its id.',
  tags: ['vault'],
  'x-scope': 'vault:read',
  parameters: [
    { name: 'since', in: 'query', required: false, schema: { type: 'string' } },
    { name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } },
  ],
  responses: {
    200: {
      description: 'A stream of events',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    default: ERROR,
  },
};

const textHeader = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

const FILE_CONDITIONS = [
  textHeader('If-Match', 'ETag the file must have; else 412'),
  textHeader('If-None-Match', 'ETag of the file you have; 304 when it is still right'),
];

const FILE_PATH = {
  name: 'path',
  in: 'path',
  required: true,
  description: 'Vault-relative path of a note, canvas, base or attachment, with its extension',
  schema: { type: 'string' },
};

const BYTES = { '*/*': { schema: { type: 'string', format: 'binary' } } };

const FILE = {
  operationId: 'file',
  summary: 'The bytes of a file',
  description:
    'A note, canvas, base or attachment as it is stored, up to 64 MiB, or one range of its bytes. Shown in a browser it runs and loads nothing.',
  tags: ['note'],
  'x-scope': 'vault:read',
  parameters: [
    FILE_PATH,
    textHeader('Range', 'bytes=first-last, bytes=first- or bytes=-length'),
    textHeader('If-Range', 'ETag that the range is of; the whole file when it has another now'),
    ...FILE_CONDITIONS,
  ],
  responses: {
    200: { description: 'The whole file', content: BYTES },
    206: { description: 'The range', content: BYTES },
    304: { description: 'Unchanged since If-None-Match' },
    416: { description: 'The file has none of the bytes asked for' },
    default: ERROR,
  },
};

const FILE_HEAD = {
  operationId: 'file_head',
  summary: 'Size, type and version of a file',
  description: 'The headers of the file without its bytes.',
  tags: ['note'],
  'x-scope': 'vault:read',
  parameters: [FILE_PATH, ...FILE_CONDITIONS],
  responses: {
    200: { description: 'It exists' },
    304: { description: 'Unchanged since If-None-Match' },
    default: ERROR,
  },
};

const COMPONENTS = {
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  schemas: {
    Problem: {
      type: 'object',
      description: 'RFC 9457 (7807) with a stable code and the next step',
      properties: {
        type: { type: 'string' },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string' },
        code: { type: 'string', enum: [...ERROR_CODES] },
        details: { type: 'object' },
        next: { type: 'string' },
      },
      required: ['type', 'title', 'status', 'detail', 'code', 'details'],
    },
  },
  responses: {
    Error: {
      description: 'What went wrong and what to do',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              ok: { type: 'boolean', enum: [false] },
              error: { $ref: '#/components/schemas/Problem' },
            },
            required: ['ok', 'error'],
          },
        },
      },
    },
  },
};
