/** What a copy did, or would do. */
export interface CopyReport {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  /** The folder of the destination in which all lies; empty for its top. */
  readonly folder: string;
  readonly notes: Count;
  readonly attachments: Count;
  /** Folders without a file that were made. */
  readonly folders: Count;
  /** Links that were written anew, and those of them that a copy back would write another way. */
  readonly links: { readonly mapped: number; readonly respelled: number };
  /** Files and folders that were not carried. */
  readonly notCarried: readonly NotCarried[];
  /** What of the files that were carried was not, or is there in another way. */
  readonly differences: readonly Difference[];
  /** What holds for all of it. */
  readonly remarks: readonly string[];
  readonly ms: number;
}

export interface Count {
  /** Carried by this run, or to be carried. */
  copied: number;
  /** There already: from an earlier run, or the same bytes. */
  there: number;
}

export interface NotCarried {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
}

export interface Difference {
  /** In the source. */
  readonly path: string;
  readonly what: 'name' | 'links' | 'tags' | 'times' | 'facts' | 'text';
  readonly detail: string;
}
