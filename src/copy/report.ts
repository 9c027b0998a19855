/** The result of a copy, or of a dry run. */
export interface CopyReport {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  /** The destination folder of all files; '' = the top. */
  readonly folder: string;
  readonly notes: Count;
  readonly attachments: Count;
  /** Folders without files that were created. */
  readonly folders: Count;
  /**
   * `mapped` = links that were rewritten; `respelled` = those of them that a copy back would spell
   * differently.
   */
  readonly links: { readonly mapped: number; readonly respelled: number };
  /** Files and folders that were not copied. */
  readonly notCarried: readonly NotCarried[];
  /** Differences between a copied file and its source. */
  readonly differences: readonly Difference[];
  /** Remarks about the whole copy. */
  readonly remarks: readonly string[];
  readonly ms: number;
}

export interface Count {
  /** Copied by this run, or to be copied. */
  copied: number;
  /** Already present, from an earlier run or with the same bytes. */
  there: number;
}

export interface NotCarried {
  readonly path: string;
  readonly code: string;
  readonly reason: string;
}

export interface Difference {
  /** Path in the source. */
  readonly path: string;
  readonly what: 'name' | 'links' | 'tags' | 'times' | 'facts' | 'text';
  readonly detail: string;
}
