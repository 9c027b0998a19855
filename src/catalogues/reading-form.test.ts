import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { offered } from '../operations/offer.ts';
import { type Operation, operation, readingForm, type Scope, writesWith } from '../operations/operation.ts';
import { fromOperation } from './from-operation.ts';
import { indxCatalogue } from './indx/catalogue.ts';
import { mounted } from './mounted.ts';

describe('an operation that writes only when it is asked to', () => {
  const sometimes = operation({
    name: 'sometimes',
    title: '',
    description: '',
    scope: 'vault:read',
    effects: 'writes',
    writing: { when: ({ apply }) => apply === true, inputs: ['apply', 'dry_run'] },
    answersFrom: 'store',
    places: [],
    toolset: 'ai',
    input: z.object({
      path: z.string(),
      apply: z.boolean().default(false),
      dry_run: z.boolean().default(false),
    }),
    output: z.object({}),
    summarise: () => '',
    render: () => '',
    run: async () => ({}),
  }) as Operation;
  const offeredTo = (...scopes: Scope[]) => offered([sometimes], { scopes, allow: [], deny: [] });

  it('is offered whole to whoever may write, else without the inputs for it, as one that reads', () => {
    expect(offeredTo('vault:read', 'vault:write')).toEqual([sometimes]);
    const [reading] = offeredTo('vault:read');
    expect(reading).toMatchObject({ effects: 'reads', scope: 'vault:read' });
    expect(Object.keys(reading?.input.shape ?? {})).toEqual(['path']);
    expect(offeredTo('vault:read')[0]).toBe(reading);
    expect(offeredTo('vault:write')).toEqual([]);
  });

  it('writes in the calls that say so', () => {
    expect(writesWith(sometimes, { apply: true })).toBe(true);
    expect(writesWith(sometimes, { apply: false })).toBe(false);
    expect(writesWith(readingForm(sometimes), { apply: true })).toBe(false);
  });

  it('is listed with the schema of the form that is offered, in every list made for the offer', () => {
    const catalogue = { ...indxCatalogue, tools: [fromOperation(sometimes)] };
    const listing = (...scopes: Scope[]) =>
      mounted(catalogue, { operations: offeredTo(...scopes) }).tools.map(({ listing }) => [
        Object.keys((listing.inputSchema as { properties?: object }).properties ?? {}),
        (listing.annotations as { readOnlyHint?: boolean }).readOnlyHint,
      ]);
    expect(listing('vault:read')).toEqual([[['path'], true]]);
    expect(listing('vault:read', 'vault:write')).toEqual([[['path', 'apply', 'dry_run'], false]]);
  });
});
