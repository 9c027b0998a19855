import { setTimeout as delay } from 'node:timers/promises';
import { LecternError } from '../../src/errors.ts';
import type { FixtureTool } from './fixture-tool.ts';
import { PNG, WAV } from './media.ts';

const PAUSE_MS = 50;

const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;

/** Tools that answer without asking anything back. */
export const PLAIN_TOOLS: readonly FixtureTool[] = [
  {
    name: 'test_simple_text',
    description: 'Answers with one text.',
    run: () => ({ text: 'This is a simple text response for testing.' }),
  },
  {
    name: 'test_image_content',
    description: 'Answers with an image.',
    run: () => ({ content: [image] }),
  },
  {
    name: 'test_audio_content',
    description: 'Answers with sound.',
    run: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  },
  {
    name: 'test_embedded_resource',
    description: 'Answers with an embedded resource.',
    run: () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    }),
  },
  {
    name: 'test_multiple_content_types',
    description: 'Answers with text, an image and a resource.',
    run: () => ({
      text: 'Multiple content types test:',
      content: [
        image,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    }),
  },
  {
    name: 'test_error_handling',
    description: 'Always fails.',
    run: () => {
      throw new LecternError('unavailable', 'This tool intentionally returns an error for testing');
    },
  },
  {
    name: 'test_tool_with_logging',
    description: 'Sends three lines to the log of the client.',
    async run({ dialogue }) {
      dialogue.log('info', 'Tool execution started');
      await delay(PAUSE_MS);
      dialogue.log('info', 'Tool processing data');
      await delay(PAUSE_MS);
      dialogue.log('info', 'Tool execution completed');
      return { text: 'Logged three lines.' };
    },
  },
  {
    name: 'test_logging_tool',
    description: 'Sends one line to the log of the client.',
    run({ dialogue }) {
      dialogue.log('info', 'one line');
      return { text: 'Logged one line.' };
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Reports its progress in three steps.',
    async run({ progress }) {
      progress(0, 100);
      await delay(PAUSE_MS);
      progress(50, 100);
      await delay(PAUSE_MS);
      progress(100, 100);
      return { text: 'Done.' };
    },
  },
  {
    name: 'test_reconnection',
    description: 'Lets go of the stream before it answers.',
    async run({ dialogue }) {
      dialogue.letGo();
      await delay(PAUSE_MS);
      return { text: 'Answered after the stream had been let go.' };
    },
  },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has an input schema with much of JSON Schema 2020-12 in it.',
    listed: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['phone'] },
      else: { required: ['email'] },
    },
    run: () => ({ text: 'Never called.' }),
  },
];
