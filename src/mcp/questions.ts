import { randomBytes } from 'node:crypto';
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
import type { Dialogue, InputKind, InputRequest } from '../operations/dialogue.ts';

/** Signs what clients keep for us between the rounds of a call; a restart makes them begin anew. */
const KEY = randomBytes(32);

const CAPABILITY = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const satisfies Record<InputKind, string>;

/** What a client keeps: only good for the call it was given for. */
interface Kept {
  readonly call: string;
  readonly state?: unknown;
}

/**
 * Questions to the client in the middle of a call, in both eras (2026-07-28, multi-round-trip
 * requests): newer clients get the questions as the result and call again with the answers, older
 * ones get requests, which the SDK sends and collects.
 */
export class Questions {
  readonly #caller: (context: ServerContext) => string;
  #codec: ReturnType<typeof createRequestStateCodec<Kept>> | undefined;

  /** @param caller who is calling, as far as anybody is known */
  constructor(caller: (context: ServerContext) => string) {
    this.#caller = caller;
  }

  /** For the SDK: rejects what a client was not given, or not lately. */
  get requestState(): NonNullable<ServerOptions['requestState']> {
    return { verify: (state, context) => this.#stateCodec().verify(state, context) };
  }

  /**
   * @param call names the call that may ask, e.g. its method and tool
   * @throws ProtocolError when the client brings what was given for another call
   */
  dialogue(server: Server, context: ServerContext, call: string): Dialogue {
    const { inputResponses: answers, log } = context.mcpReq;
    const kept = context.mcpReq.requestState<Kept>();
    if (kept !== undefined && kept.call !== call) {
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
        // The client is gone; the answer will find out as well.
        log(level, data, 'lectern').catch(() => {});
      },
      letGo: () => context.http?.closeSSE?.(),
    };
  }

  /** The result that asks. */
  async ask(
    requests: Readonly<Record<string, InputRequest>>,
    state: unknown,
    context: ServerContext,
    call: string,
  ): Promise<InputRequiredResult> {
    return inputRequired({
      // Checked by the SDK, method by method, before it leaves.
      inputRequests: requests as unknown as InputRequests,
      ...(state !== undefined && { requestState: await this.#stateCodec().mint({ call, state }, context) }),
    });
  }

  /** Made when first needed: in the stateless era there is one of this for every request. */
  #stateCodec() {
    this.#codec ??= createRequestStateCodec<Kept>({ key: KEY, bind: this.#caller });
    return this.#codec;
  }
}
