/**
 * What can be told of a file without reading it: the form in which a query that is worked out elsewhere asks an
 * index which files are worth a look. An index may let more files through than a condition means, never fewer.
 */
export type FileCondition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly FileCondition[] }
  /** Only of conditions that an index tells exactly: `tag`, `folder` and `ext`. */
  | { readonly kind: 'not'; readonly of: FileCondition }
  /** The tag itself or one below it, in any case. */
  | { readonly kind: 'tag'; readonly tag: string }
  /** The folder or one below it, in any case. */
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'ext'; readonly ext: string }
  /** The path in any case. */
  | { readonly kind: 'path'; readonly path: string }
  /** What the path begins with, as it is spelled. */
  | { readonly kind: 'prefix'; readonly prefix: string }
  /** The last segment in any case, or all of it before the last dot. */
  | { readonly kind: 'name' | 'basename'; readonly name: string }
  /** Links to what `target` means from anywhere, resolved or not. */
  | { readonly kind: 'links'; readonly target: string }
  /** Times in milliseconds since the epoch; both bounds belong to it. */
  | {
      readonly kind: 'number';
      readonly of: 'size' | 'mtime' | 'ctime';
      readonly min?: number;
      readonly max?: number;
    }
  /**
   * The property in any case, with a value that one of the tests lets through; an item of a list is a value, too.
   * Without tests it is there, perhaps without a value.
   */
  | { readonly kind: 'property'; readonly name: string; readonly tests?: readonly ValueTest[] };

/** Of one value of a property as it prints: text in NFC, numbers as JavaScript writes them. */
export type ValueTest =
  /** Anything but null. */
  | { readonly is: 'filled' }
  | { readonly is: 'equal'; readonly value: string }
  /** Printed forms from `from` up to before `to`, by code points. */
  | { readonly is: 'between'; readonly from: string; readonly to: string }
  /** Numbers; both bounds belong to it. */
  | { readonly is: 'number'; readonly min?: number; readonly max?: number }
  | { readonly is: 'text' }
  /** Texts that do not begin with a day (`2024-02-05`), and of those that do the ones from `from` up to before `to`. */
  | { readonly is: 'dated'; readonly from?: string; readonly to?: string };
