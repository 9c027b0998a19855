// What Joplin itself finds: node search.cjs <folder it is installed in> <profile> <file with queries as JSON> <file for titles>
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');

const [, , folder, profile, queries, answers] = process.argv;
const load = createRequire(`${folder}/package.json`);
process.argv = [process.argv[0], 'joplin', '--profile', profile, 'server', 'start', '--quiet'];
load('joplin/main.js');

const BETWEEN_MS = 300;
async function search() {
  const engine = load('@joplin/lib/services/search/SearchEngine').default.instance();
  try {
    if (!engine.db()) throw new Error('not open yet');
  } catch {
    setTimeout(search, BETWEEN_MS);
    return;
  }
  await engine.syncTables();
  await load('@joplin/lib/services/ResourceService').default.instance().indexNoteResources();
  await engine.syncTables();
  const found = {};
  for (const query of JSON.parse(readFileSync(queries, 'utf8')))
    found[query] = (await engine.search(query)).map(({ title }) => title);
  writeFileSync(answers, JSON.stringify(found));
  process.exit(0);
}
setTimeout(search, BETWEEN_MS);
