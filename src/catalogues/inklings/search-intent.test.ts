import { expect, it } from 'vitest';
import { searchPlan } from './search-intent.ts';

it.each([
  ['', 'keyword', ''],
  ['   ', 'keyword', ''],
  ['hero', 'keyword', 'hero'],
  ['hero journey', 'keyword', 'hero journey'],
  ['the-hero-s-journey', 'keyword', 'the-hero-s-journey'],
  ['why heroes come home', 'semantic', 'why heroes come home'],
  ['"come home"', 'keyword', '"come home"'],
  ['a "come home" b c', 'keyword', 'a "come home" b c'],
  ['"never closed', 'keyword', '"never closed"'],
  ['salt AND bread AND wine', 'keyword', 'salt bread wine'],
  ['salt OR bread in the cellar', 'keyword', 'salt OR bread in the cellar'],
  ['salt NOT bread at all', 'keyword', 'salt -bread at all'],
  ['salt NOT "stale bread"', 'keyword', 'salt -"stale bread"'],
  ['salt NOT (bread OR wine)', 'keyword', 'salt -(bread OR wine)'],
  ['NEAR(salt bread, 10)', 'keyword', 'salt bread'],
  ['NEAR("old salt" bread) wine', 'keyword', '"old salt" bread wine'],
  ['notes of 2026-11-29 about ships', 'keyword', 'notes of 2026-11-29 about ships'],
  ['notes of 2026/11/29 about ships', 'keyword', 'notes of "2026/11/29" about ships'],
  ['notes of 12026-11-291 about ships', 'semantic', 'notes of 12026-11-291 about ships'],
  ['salt and bread and wine', 'semantic', 'salt and bread and wine'],
  ['the ANDES are high', 'semantic', 'the ANDES are high'],
  // Operators of Lectern's query language only.
  ['path:secret tag:x -y', 'semantic', '"path:secret" "tag:x" "-y"'],
  ['[status:done] /re/ x', 'semantic', '"[status:done]" "/re/" x'],
  ['((broken OR', 'keyword', 'broken'],
  ['OR salt', 'keyword', 'salt'],
  ['()', 'keyword', ''],
  ['""', 'keyword', ''],
] as const)('%j is searched by %s as %j', (query, intent, wanted) => {
  expect(searchPlan(query)).toEqual({ intent, query: wanted });
});
