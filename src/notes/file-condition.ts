/**
 * Conditions on a file that an index can check without reading it: a query evaluated elsewhere uses them to
 * select candidate files. An index may return more files than match, never fewer.
 */
export type FileCondition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly FileCondition[] }
  /** Only for conditions an index checks exactly: `tag`, `folder` and `ext`. */
  | { readonly kind: 'not'; readonly of: FileCondition }
  /** The tag itself or one below it, in any case. */
  | { readonly kind: 'tag'; readonly tag: string }
  /** The folder or one below it, in any case. */
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'ext'; readonly ext: string }
  /** The path in any case. */
  | { readonly kind: 'path'; readonly path: string }
  /** A prefix of the path, case-sensitive. */
  | { readonly kind: 'prefix'; readonly prefix: string }
  /** The last segment in any case, or all of it before the last dot. */
  | { readonly kind: 'name' | 'basename'; readonly name: string }
  /** Files with a link to the file that `target` names, resolved or not. */
  | { readonly kind: 'links'; readonly target: string }
  /** Times in milliseconds since the epoch; both bounds are included. */
  | {
      readonly kind: 'number';
      readonly of: 'size' | 'mtime' | 'ctime';
      readonly min?: number;
      readonly max?: number;
    }
  /**
   * The property in any case, with a value that passes one of the tests; each item of a list is a value.
   * Without tests the property must exist, with or without a value.
   */
  | { readonly kind: 'property'; readonly name: string; readonly tests?: readonly ValueTest[] };

/** Tests on a value's printed form: text in NFC, numbers as JavaScript prints them. */
export type ValueTest =
  /** Anything but null. */
  | { readonly is: 'filled' }
  | { readonly is: 'equal'; readonly value: string }
  /** Printed forms from `from` up to before `to`, by code points. */
  | { readonly is: 'between'; readonly from: string; readonly to: string }
  /** Numbers; both bounds are included. */
  | { readonly is: 'number'; readonly min?: number; readonly max?: number }
  | { readonly is: 'text' }
  /**
   * Texts that do not begin with a date (`2024-02-05`), and of those that do the ones from `from` up to
   * before `to`.
   */
  | { readonly is: 'dated'; readonly from?: string; readonly to?: string };
