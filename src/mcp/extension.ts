import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { PromptDefinition } from './prompt.ts';

/** Resources that are no part of a vault, under URIs of their own. */
export interface ResourceSource {
  /** What their URIs begin with, e.g. `card://`. */
  readonly prefix: string;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** @throws LecternError `not_found` */
  read(uri: string): Promise<ReadResourceResult>;
  /** Tells of every later change until the returned function is called. */
  watch(uri: string, tell: () => void): () => void;
}

/** What a catalogue brings beside its tools. */
export interface McpExtension {
  readonly prompts: readonly PromptDefinition[];
  readonly resources: readonly ResourceSource[];
}

export const NO_EXTENSION: McpExtension = { prompts: [], resources: [] };
