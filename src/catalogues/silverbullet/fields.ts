import * as z from 'zod';

export const pageName = z
  .string()
  .min(1)
  .describe('Page name from the root of the space, without .md, e.g. projects/boat');

export const includeTrash = z
  .boolean()
  .optional()
  .describe('Also pages that were deleted, which lie under _trash/. Default false');
