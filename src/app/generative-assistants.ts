import { join } from 'node:path';
import { openAnswerCache } from '../ai/cache/answer-cache.ts';
import { generativeAssistant, type RequestSent } from '../ai/generative.ts';
import { hostedModel } from '../ai/hosted/hosted-model.ts';
import { probe } from '../ai/hosted/probe.ts';
import { baseUrlOf, type HostedOptions } from '../ai/hosted/providers.ts';
import { openLedger } from '../ai/spend/ledger.ts';
import { type AiSetting, isHosted } from '../config/ai-setting.ts';
import type { Assistants, AssistedCall } from '../operations/call/assistants.ts';
import { clientModel } from '../operations/call/client-model.ts';
import { InputNeeded } from '../operations/call/dialogue.ts';
import type { VaultSession } from '../vault/session.ts';
import { AI_CACHE_FILE, AI_SPEND_FILE } from './state-files.ts';

/** A request with its retries and waits takes at most this multiple of the time limit of one attempt. */
const ATTEMPTS = 4;

/** Opens assistants with a model: at a provider, or that of the client. */
export function openGenerative(setting: AiSetting, key: string | undefined, state: string) {
  const { provider, model, baseUrl, timeoutMs, limits, prices, contextTokens } = setting;
  const ledger = openLedger(join(state, AI_SPEND_FILE), { limits, prices });
  const cache = openAnswerCache(join(state, AI_CACHE_FILE));
  const hosted: HostedOptions | undefined =
    isHosted(provider) && model !== undefined ? { provider, model, baseUrl, key } : undefined;
  const host = hosted && new URL(baseUrlOf(hosted)).host;
  const remote = hosted && hostedModel({ ...hosted, timeoutMs });

  const assistants: Assistants = (call) =>
    generativeAssistant({
      model: remote ?? clientModel(call.dialogue),
      host,
      contextTokens,
      callTokens: limits.callTokens,
      ledger,
      cache,
      holdMs: timeoutMs * ATTEMPTS,
      isQuestion: (error) => error instanceof InputNeeded,
      sent: (request) => call.sent(toAudit(request, provider, host)),
      reachable: (signal) => (hosted === undefined ? clientReachable(call) : probe(hosted, signal)),
    });

  return {
    assistants,
    async follow(home: string, session: VaultSession): Promise<void> {
      session.watch((changes) => cache.changed(changes));
      await catchUp(home, session);
    },
  };

  /**
   * Applies the changes of a vault since it was last followed, also those made while no server was running.
   */
  async function catchUp(home: string, session: VaultSession): Promise<void> {
    for (;;) {
      const from = cache.followed(home);
      const { changes, next, more, reset } = await session.changesSince(from, CHANGES_AT_A_TIME);
      if (reset) cache.clear();
      cache.changed(changes.map(({ path, etag, removed }) => ({ path, etag: removed ? undefined : etag })));
      cache.follow(home, next.id);
      if (!more) return;
    }
  }
}

const CHANGES_AT_A_TIME = 1000;

function toAudit({ model, paths, usage, outcome }: RequestSent, provider: string, host: string | undefined) {
  return {
    provider,
    model,
    ...(host !== undefined && { host }),
    paths,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    outcome,
  };
}

async function clientReachable({ dialogue }: AssistedCall) {
  return dialogue?.canAnswer('sampling/createMessage') === true
    ? { reachable: true }
    : { reachable: false, problem: 'this client does not declare sampling' };
}
