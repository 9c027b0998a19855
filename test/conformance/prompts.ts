import type { PromptDefinition } from '../../src/catalogues/prompt.ts';
import { InputNeeded } from '../../src/operations/call/dialogue.ts';
import { PNG } from './media.ts';
import { askFor } from './questions.ts';

export const FIXTURE_PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'test_simple_prompt',
    title: 'Simple',
    description: 'One text.',
    arguments: [],
    tools: [],
    needs: [],
    fill: async () => ({ text: 'This is a simple prompt for testing.' }),
  },
  {
    name: 'test_prompt_with_arguments',
    title: 'With arguments',
    description: 'One text with two arguments in it.',
    arguments: [
      { name: 'arg1', required: true, values: () => ['paris', 'park', 'party', 'rome'] },
      { name: 'arg2', required: true },
    ],
    tools: [],
    needs: [],
    fill: async (_vault, { arg1, arg2 }) => ({
      text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
    }),
  },
  {
    name: 'test_prompt_with_embedded_resource',
    title: 'With a resource',
    description: 'A text and the resource of that address.',
    arguments: [{ name: 'resourceUri', required: true }],
    tools: [],
    needs: [],
    fill: async (_vault, { resourceUri = '' }) => ({
      text: 'Please process the embedded resource.',
      attached: [
        {
          type: 'resource',
          resource: {
            uri: resourceUri,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      ],
    }),
  },
  {
    name: 'test_prompt_with_image',
    title: 'With an image',
    description: 'A text and an image.',
    arguments: [],
    tools: [],
    needs: [],
    fill: async () => ({
      text: 'Please analyze the image.',
      attached: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
    }),
  },
  {
    name: 'test_input_required_result_prompt',
    title: 'With a question',
    description: 'Asks the user what it should be about.',
    arguments: [],
    tools: [],
    needs: [],
    fill: async (_vault, _given, _uriOf, dialogue) => {
      const answer = dialogue.accepted('user_context');
      if (answer === undefined) {
        throw new InputNeeded({ user_context: askFor('context', 'What context should the prompt use?') });
      }
      return { text: `Context: ${answer.context}` };
    },
  },
];
