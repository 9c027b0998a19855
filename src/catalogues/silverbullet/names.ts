/** All tools, including those that are not offered. */
export const NAMES: ReadonlySet<string> = new Set([
  'list_pages',
  'read_page',
  'search_pages',
  'create_page',
  'write_page',
  'append_to_page',
  'prepend_to_page',
  'delete_page',
  'move_page',
]);
