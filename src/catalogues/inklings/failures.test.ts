import { expect, it } from 'vitest';
import { type ErrorCode, LecternError } from '../../errors.ts';
import { JsonRpcError } from '../json-rpc-error.ts';
import { failure } from './failures.ts';
import { inklingsIdentity } from './identity.ts';

/** NotFound, Validation, Permission and the two kinds of internal errors, as the reference maps them. */
const CODES: Readonly<Record<ErrorCode, number>> = {
  not_found: -32_002,
  ambiguous: -32_602,
  exists: -32_602,
  invalid_path: -32_602,
  invalid_input: -32_602,
  too_large: -32_602,
  forbidden: -32_600,
  read_only: -32_600,
  conflict: -32_603,
  unavailable: -32_603,
  ai_unavailable: -32_603,
  timeout: -32_603,
  internal: -32_603,
};

it.each(Object.entries(CODES))('%s is %i', (code, wanted) => {
  const error = new LecternError(code as ErrorCode, 'What happened.', {
    next: 'Next.',
    details: { etag: 'e1' },
  });
  let thrown: unknown;
  try {
    failure(error);
  } catch (caught) {
    thrown = caught;
  }
  expect(thrown).toBeInstanceOf(JsonRpcError);
  const message =
    code === 'conflict' ? /^The page was changed meanwhile; nothing was written\.$/ : /^What happened\.$/;
  expect(thrown).toMatchObject({ code: wanted, message: expect.stringMatching(message) });
  expect(JSON.stringify(thrown)).not.toContain('e1');
});

it('a call has 60 seconds, at the port of the system', () => {
  expect(inklingsIdentity.protocol).toMatchObject({
    callLimitMs: 60_000,
    http: { port: 7862 },
    stateless: false,
  });
});
