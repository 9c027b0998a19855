import fc from 'fast-check';

/** JSON-RPC messages that are nearly right: each part is right most of the time, and sometimes anything. */

const anything = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, [], {}, '', 0, -1, 1.5, 1e300, true, 'x', [1], { a: 1 }),
);

const sometimes = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: anything });

export const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'server/discover',
  'notifications/initialized',
  'notifications/cancelled',
  'tasks/get',
  'constructor',
  '__proto__',
  '',
];

const meta = fc.record(
  {
    progressToken: sometimes(fc.oneof(fc.string(), fc.integer())),
    'io.modelcontextprotocol/related-task': sometimes(fc.record({ taskId: fc.string() })),
    'io.modelcontextprotocol/protocolVersion': sometimes(fc.constantFrom('2026-07-28', '2025-11-25')),
    'io.modelcontextprotocol/clientCapabilities': sometimes(fc.constant({})),
    other: anything,
  },
  { requiredKeys: [] },
);

const params = fc.record(
  {
    _meta: sometimes(meta),
    name: sometimes(fc.constantFrom('note_read', 'vault_status', 'daily_note')),
    arguments: sometimes(fc.record({ path: sometimes(fc.string()) })),
    uri: sometimes(fc.constantFrom('vault://A.md', 'vault://tags', 'nope://x')),
    level: sometimes(fc.constantFrom('debug', 'error')),
    cursor: sometimes(fc.string()),
    protocolVersion: sometimes(fc.constantFrom('2025-11-25', '1999-01-01')),
    capabilities: sometimes(fc.constant({})),
    clientInfo: sometimes(fc.constant({ name: 'x', version: '1' })),
    ref: sometimes(fc.constant({ type: 'ref/prompt', name: 'daily_note' })),
    argument: sometimes(fc.constant({ name: 'date', value: '2' })),
    requestId: anything,
  },
  { requiredKeys: [] },
);

/** Requests and notifications, and what could be taken for one. */
export const looseCall = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 20, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: anything }),
    id: sometimes(fc.oneof(fc.string(), fc.integer())),
    method: sometimes(fc.constantFrom(...METHODS)),
    params: sometimes(params),
    result: anything,
    extra: anything,
  },
  { requiredKeys: ['jsonrpc', 'method'] },
);

const looseAnswer = fc.record(
  {
    jsonrpc: sometimes(fc.constant('2.0')),
    id: sometimes(fc.integer()),
    result: sometimes(fc.record({ _meta: anything, x: anything }, { requiredKeys: [] })),
    error: sometimes(
      fc.record(
        { code: sometimes(fc.integer()), message: sometimes(fc.string()), data: anything },
        { requiredKeys: ['code'] },
      ),
    ),
    extra: anything,
  },
  { requiredKeys: ['jsonrpc'] },
);

export const looseMessage = fc.oneof(looseCall, looseAnswer, anything);
