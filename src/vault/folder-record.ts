/** A folder as a caller sees it. */
export interface FolderRecord {
  readonly path: string;
  /** Directly in it. */
  readonly notes: number;
  readonly files: number;
  /** In it and below it. */
  readonly notesBelow: number;
  readonly filesBelow: number;
  /** Creation time, ms since the epoch, where the store provides it. */
  readonly birthtimeMs: number | undefined;
}
