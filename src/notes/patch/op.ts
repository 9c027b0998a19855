import type { HeadingAddress } from '../structure/outline.ts';

/**
 * The fields of an edit. In a request an edit is one flat object with `op` and the fields of that op, so that
 * every client's subset of JSON Schema can describe it; `check.ts` enforces which op takes which fields.
 */
export interface OpFields {
  /** Property name; case is ignored when it exists. */
  readonly key: string;
  /** Any JSON value; it reads back with the same type. `null` writes an empty value. */
  readonly value: unknown;
  /** Markdown to insert; it gets the note's line endings. */
  readonly markdown: string;
  /** Heading text, `## text`, or a chain `A > B` / `A#B`. */
  readonly heading: HeadingAddress;
  /** Block id, with or without `^`. */
  readonly block_id: string;
  /** Heading to rename, addressed like `heading`. */
  readonly from: HeadingAddress;
  /** The heading's new text. */
  readonly to: string;
  /** Exact text to find; a line break matches any line ending. */
  readonly old: string;
  /** Replacement text, literally. */
  readonly new: string;
  /** Required number of occurrences of `old`. Default 1. */
  readonly expected_count: number;
  /** Whether all occurrences are replaced. */
  readonly all: boolean;
  /** Whether the front matter is searched too; values are quoted anew where needed. */
  readonly include_frontmatter: boolean;
  /** 1-based number among equal headings or matches, in source order. */
  readonly occurrence: number;
  /** 1-based line of a task, in the note as it was before this call. */
  readonly line: number;
  /** The task's exact text. */
  readonly task: string;
  /** The character between a task's brackets, or `done`, `todo`, `doing`, `cancelled`. */
  readonly status: string;
  /** Tag name, with or without `#`. */
  readonly tag: string;
  /** Whether the section ends at the next heading of any level, so that subsections are kept. */
  readonly keep_subsections: boolean;
  /** Where lines are inserted: `top` = before everything, `start` = below the properties, `end`. */
  readonly at: LinePlace;
  /** Whether an empty line is inserted before the lines. */
  readonly blank_line: boolean;
}

export const LINE_PLACES = ['top', 'start', 'end'] as const;
export type LinePlace = (typeof LINE_PLACES)[number];

export type OpField = keyof OpFields;

interface OpSpec {
  readonly required: readonly OpField[];
  readonly optional: readonly OpField[];
}

/** The fields of each op. The names of the first nine ops are indx's. */
export const OP_SPECS = {
  set_frontmatter: { required: ['key', 'value'], optional: [] },
  delete_frontmatter: { required: ['key'], optional: [] },
  append_body: { required: ['markdown'], optional: [] },
  prepend_body: { required: ['markdown'], optional: [] },
  insert_before_heading: { required: ['heading', 'markdown'], optional: ['occurrence'] },
  insert_after_heading: { required: ['heading', 'markdown'], optional: ['occurrence'] },
  replace_section: { required: ['heading', 'markdown'], optional: ['occurrence', 'keep_subsections'] },
  replace_block: { required: ['block_id', 'markdown'], optional: [] },
  rename_heading: { required: ['from', 'to'], optional: ['occurrence'] },
  replace_text: {
    required: ['old', 'new'],
    optional: ['expected_count', 'all', 'include_frontmatter', 'occurrence'],
  },
  append_to_section: { required: ['heading', 'markdown'], optional: ['occurrence', 'keep_subsections'] },
  set_task: { required: ['status'], optional: ['task', 'line'] },
  add_tag: { required: ['tag'], optional: [] },
  remove_tag: { required: ['tag'], optional: [] },
  insert_lines: { required: ['markdown', 'at'], optional: ['blank_line'] },
} as const satisfies Record<string, OpSpec>;

type OpSpecs = typeof OP_SPECS;

export type PatchOpName = keyof OpSpecs;

export const PATCH_OP_NAMES = Object.keys(OP_SPECS) as readonly PatchOpName[];

/** An edit as a client sends it. */
export type PatchOp = { readonly op: PatchOpName } & { readonly [Field in OpField]?: OpFields[Field] };

/** An edit whose fields have been checked for its op. */
export type CheckedOp<Name extends PatchOpName = PatchOpName> = {
  [N in Name]: { readonly op: N } & {
    readonly [F in OpSpecs[N]['required'][number]]: OpFields[F];
  } & { readonly [F in OpSpecs[N]['optional'][number]]?: OpFields[F] };
}[Name];
