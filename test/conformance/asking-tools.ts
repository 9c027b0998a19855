import * as z from 'zod';
import { InputNeeded, type InputRequest } from '../../src/operations/call/dialogue.ts';
import type { FixtureContext, FixtureTool } from './fixture-tool.ts';
import { askFor, CONFIRM, form, ROOTS, sampledText, sampling } from './questions.ts';

/** Tools that ask the user, the model or the client before they answer. */
export const ASKING_TOOLS: readonly FixtureTool[] = [
  {
    name: 'test_sampling',
    description: "Asks the client's model.",
    input: z.object({ prompt: z.string() }),
    run: (context, { prompt }) => {
      const answer = answerTo(context, 'reply', sampling(String(prompt)));
      return { text: `LLM response: ${sampledText(answer)}` };
    },
  },
  {
    name: 'test_elicitation',
    description: 'Asks the user for a name and an address.',
    input: z.object({ message: z.string() }),
    run: (context, { message }) => {
      const fields = {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      };
      const answer = answerTo(context, 'user', form(String(message), fields, ['username', 'email']));
      return { text: `User response: ${JSON.stringify(answer)}` };
    },
  },
  {
    name: 'test_elicitation_sep1034_defaults',
    description: 'Asks with a form whose fields are filled in already.',
    run: (context) => {
      const fields = {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      };
      return completed(answerTo(context, 'form', form('Please look at the defaults', fields)));
    },
  },
  {
    name: 'test_elicitation_sep1330_enums',
    description: 'Asks with every kind of choice that a form can have.',
    run: (context) => {
      const options = ['option1', 'option2', 'option3'];
      const titled = (what: string) =>
        ['First', 'Second', 'Third'].map((nth, i) => ({ const: `value${i + 1}`, title: `${nth} ${what}` }));
      const fields = {
        untitledSingle: { type: 'string', enum: options },
        titledSingle: { type: 'string', oneOf: titled('Option') },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
        titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
      };
      return completed(answerTo(context, 'form', form('Please choose', fields)));
    },
  },
  {
    name: 'test_missing_capability',
    description: "Asks the client's model, whether it has one or not.",
    run: (context) => ({ text: `${sampledText(answerTo(context, 'reply', sampling('Say something')))}` }),
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Asks the user for a name.',
    run: (context) => ({ text: `Hello, ${filledIn(context, 'user_name', NAME).name}!` }),
  },
  {
    name: 'test_input_required_result_elicitation',
    description: 'Asks the user for a name.',
    run: (context) => ({ text: `Hello, ${filledIn(context, 'user_name', NAME).name}!` }),
  },
  {
    name: 'test_input_required_result_sampling',
    description: "Asks the client's model.",
    run: (context) => {
      const answer = answerTo(context, 'capital_question', sampling('What is the capital of France?'));
      return { text: `The model says: ${sampledText(answer)}` };
    },
  },
  {
    name: 'test_input_required_result_list_roots',
    description: 'Asks the client for its roots.',
    run: (context) => ({ text: `Roots: ${JSON.stringify(answerTo(context, 'client_roots', ROOTS))}` }),
  },
  {
    name: 'test_input_required_result_request_state',
    description: 'Asks for a confirmation and keeps something for later.',
    input: z.object({ about: z.string().optional(), more: z.string().optional() }),
    run: ({ dialogue }) => {
      if (dialogue.accepted('confirm') === undefined || dialogue.state !== 'kept') {
        throw new InputNeeded({ confirm: CONFIRM }, 'kept');
      }
      return { text: 'state-ok' };
    },
  },
  {
    name: 'test_input_required_result_tampered_state',
    description: 'Asks for a confirmation; must not be fooled about what it asked.',
    run: ({ dialogue }) => {
      if (dialogue.accepted('confirm') === undefined || dialogue.state === undefined) {
        throw new InputNeeded({ confirm: CONFIRM }, { step: 1 });
      }
      return { text: 'Confirmed.' };
    },
  },
  {
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks the user, the model and the client at once.',
    run: ({ dialogue: { answers, state } }) => {
      const requests = {
        user_name: NAME,
        greeting: sampling('Generate a greeting', 50),
        client_roots: ROOTS,
      };
      const missing = Object.keys(requests).some((key) => answers?.[key] === undefined);
      if (missing || state === undefined) throw new InputNeeded(requests, 'three at once');
      return { text: `${sampledText(answers?.greeting)} ${JSON.stringify(answers)}` };
    },
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks twice, one question after the other.',
    run: ({ dialogue }) => {
      const { name } = (dialogue.state ?? {}) as { name?: unknown };
      const given = name ?? dialogue.accepted('step1')?.name;
      if (given === undefined) {
        throw new InputNeeded({ step1: askFor('name', 'Step 1: What is your name?') }, {});
      }
      const color = dialogue.accepted('step2')?.color;
      if (color === undefined) {
        const step2 = askFor('color', 'Step 2: What is your favorite color?');
        throw new InputNeeded({ step2 }, { name: given });
      }
      return { text: `${given} likes ${color}.` };
    },
  },
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks whatever the client can be asked.',
    run: ({ dialogue }) => {
      const all = { user_name: NAME, greeting: sampling('Generate a greeting'), client_roots: ROOTS };
      const possible = Object.entries(all).filter(([, { method }]) => dialogue.canAnswer(method));
      if (dialogue.answers === undefined) throw new InputNeeded(Object.fromEntries(possible));
      return { text: JSON.stringify(dialogue.answers) };
    },
  },
];

const NAME = askFor('name', 'What is your name?');

/** The client's answer; asks for it when there is none. */
function answerTo({ dialogue }: FixtureContext, key: string, request: InputRequest): unknown {
  const answer = dialogue.answers?.[key];
  if (answer === undefined) throw new InputNeeded({ [key]: request });
  return answer;
}

/** What the user filled in; asks again as long as it is nothing. */
function filledIn(
  { dialogue }: FixtureContext,
  key: string,
  request: InputRequest,
): Readonly<Record<string, unknown>> {
  const content = dialogue.accepted(key);
  if (content === undefined) throw new InputNeeded({ [key]: request });
  return content;
}

function completed(answer: unknown): { text: string } {
  const { action, content } = answer as { action?: unknown; content?: unknown };
  return { text: `Elicitation completed: action=${action}, content=${JSON.stringify(content)}` };
}
