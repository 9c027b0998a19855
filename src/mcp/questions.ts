import { createHash, randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import { isRecord } from '../is-record.ts';
import type { Dialogue, InputKind, InputRequest } from '../operations/call/dialogue.ts';

/** Key that signs the state clients hold between the rounds of a call; after a restart they must begin again. */
const KEY = randomBytes(32);

const CAPABILITY = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const satisfies Record<InputKind, string>;

/** A request that may ask the client questions. */
export interface AskingCall {
  readonly method: 'tools/call' | 'prompts/get';
  readonly name: string;
  readonly arguments: unknown;
}

/** State held by a client: valid only for the same call with the same arguments. */
interface Kept {
  readonly call: string;
  readonly state?: unknown;
}

/**
 * Questions to the client during a call, in both eras (2026-07-28, multi-round-trip requests): newer clients
 * get the questions as the result and call again with the answers, older ones get requests, which the SDK
 * sends and collects.
 */
export class Questions {
  readonly #caller: (context: ServerContext) => string;
  #codec: ReturnType<typeof createRequestStateCodec<Kept>> | undefined;

  /** @param caller the caller, as far as it is identified */
  constructor(caller: (context: ServerContext) => string) {
    this.#caller = caller;
  }

  /** For the SDK: rejects state that a client was not given, or that has expired. */
  get requestState(): NonNullable<ServerOptions['requestState']> {
    return { verify: (state, context) => this.#stateCodec().verify(state, context) };
  }

  /** @throws ProtocolError when the client returns state that was given for another call */
  dialogue(server: Server, context: ServerContext, call: AskingCall): Dialogue {
    const { inputResponses: answers, log } = context.mcpReq;
    const kept = context.mcpReq.requestState<Kept>();
    if (kept !== undefined && kept.call !== fingerprint(call)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
    }
    return {
      canAnswer: (kind) => {
        const envelope: Readonly<Record<string, unknown>> = { ...context.mcpReq.envelope };
        const declared = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
        return typeof declared === 'object' && declared !== null && CAPABILITY[kind] in declared;
      },
      answers,
      accepted: (key) => acceptedContent(answers, key),
      state: kept?.state,
      log: (level, data) => {
        // The client has disconnected; sending the answer will show that too.
        log(level, data, 'lectern').catch(() => {});
      },
      letGo: () => context.http?.closeSSE?.(),
    };
  }

  /** The result that contains the questions. */
  async ask(
    requests: Readonly<Record<string, InputRequest>>,
    state: unknown,
    context: ServerContext,
    call: AskingCall,
  ): Promise<InputRequiredResult> {
    const kept = state === undefined ? undefined : { call: fingerprint(call), state };
    return inputRequired({
      // Checked by the SDK, per method, before it is sent.
      inputRequests: requests as unknown as InputRequests,
      ...(kept !== undefined && { requestState: await this.#stateCodec().mint(kept, context) }),
    });
  }

  /** Created on first use: in the stateless era every request has its own instance. */
  #stateCodec() {
    this.#codec ??= createRequestStateCodec<Kept>({ key: KEY, bind: this.#caller });
    return this.#codec;
  }
}

/** Equal for equal calls, in any order of arguments. */
function fingerprint({ method, name, arguments: given }: AskingCall): string {
  const sorted = (_key: string, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
  const text = JSON.stringify([method, name, given ?? {}], sorted);
  return createHash('sha256').update(text).digest('base64url');
}
