import type { HttpRefusal } from '../protocol.ts';

const NO_SESSION = {
  jsonrpc: '2.0',
  error: { code: -32_000, message: 'Missing session id or initialize request' },
  id: null,
};

/** Refusals of this system's endpoint; undefined = Lectern's own. */
export function refused(why: HttpRefusal, standard: Response, method: string): Response | undefined {
  switch (why) {
    case 'unauthorized':
    case 'invalid_token':
      return unauthorized(standard.headers.get('www-authenticate') ?? 'Bearer realm="MCP"');
    case 'no_session':
    case 'wrong_method':
      return withoutSession(method);
    default:
      return undefined;
  }
}

/** @param challenge Lectern's WWW-Authenticate value, which clients need for discovery */
function unauthorized(challenge: string): Response {
  return Response.json(
    { error: 'unauthorized' },
    { status: 401, headers: { 'WWW-Authenticate': challenge.replace('realm="lectern"', 'realm="MCP"') } },
  );
}

function withoutSession(method: string): Response | undefined {
  switch (method) {
    case 'POST':
      return Response.json(NO_SESSION, { status: 400 });
    case 'GET':
      return Response.json({ error: 'unknown session' }, { status: 400 });
    case 'DELETE':
      return new Response(null, { status: 204 });
    default:
      return undefined;
  }
}
