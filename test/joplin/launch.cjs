// Starts Joplin's server in the folder it is installed in: node launch.cjs <folder> <profile>
// Joplin on the command line searches what it indexed ten seconds after its start, and nothing since: here it goes on.
const { createRequire } = require('node:module');

const [, , folder, profile] = process.argv;
const load = createRequire(`${folder}/package.json`);
process.argv = [process.argv[0], 'joplin', '--profile', profile, 'server', 'start', '--quiet'];
load('joplin/main.js');

const BETWEEN_MS = 400;
const search = () => load('@joplin/lib/services/search/SearchEngine').default.instance();
const resources = () => load('@joplin/lib/services/ResourceService').default.instance();
async function index() {
  try {
    if (search().db()) {
      await search().syncTables();
      await resources().indexNoteResources();
    }
  } catch {
    // Not open yet.
  }
  setTimeout(index, BETWEEN_MS);
}
setTimeout(index, BETWEEN_MS);

// The owner's answer to a program that asks for the token.
process.on('message', ({ accept }) =>
  load('@joplin/lib/ClipperServer').default.instance().api.acceptAuthToken(accept),
);
