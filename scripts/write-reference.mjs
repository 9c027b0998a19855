// Writes docs/reference/, and the table of settings in README.md, from what the program itself goes by: the
// operations, the command line, the table of settings. test/reference.test.ts fails when a page is not what this would write.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** What the pages are made of, by module. */
const SOURCES = [
  "export { commandLine } from './src/cli/command-line.ts';",
  "export { OPERATIONS } from './src/operations/registry.ts';",
  "export { openApiDocument } from './src/http/rest/openapi.ts';",
  "export { inputSchema } from './src/operations/call/json-schema.ts';",
  "export { problemOf } from './src/http/rest/answers.ts';",
  "export { exitCodeFor } from './src/cli/commands/exit-codes.ts';",
  "export { ERROR_CODES, LecternError } from './src/errors.ts';",
  "export { SETTING_TABLE } from './src/config/setting-rows.ts';",
  "export { describedSetting } from './src/config/file/schema.ts';",
  "export { listTemplates } from './src/mcp/resource-list.ts';",
  "export { BUILTIN_PROMPTS } from './src/mcp/prompt-builtin.ts';",
];

/**
 * The pages by file name.
 *
 * @param parts the modules named in SOURCES, merged
 */
export async function referencePages(parts) {
  return {
    'tools.md': toolsPage(parts),
    'routes.md': routesPage(parts),
    'commands.md': await commandsPage(parts),
    'settings.md': settingsPage(parts),
    'resources.md': resourcesPage(parts),
  };
}

const WRITTEN = '<!-- Written by scripts/write-reference.mjs; change the source, not this page. -->';

function page(title, ...parts) {
  return `${[WRITTEN, `# ${title}`, ...parts].join('\n\n')}\n`;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function cell(text) {
  return shown(String(text ?? ''))
    .replaceAll('|', '\\|')
    .replace(/\s+/g, ' ')
    .trim();
}

/** What stands in angle brackets is text, and no element of the page. */
function shown(text) {
  return text
    .split('`')
    .map((part, at) => (at % 2 === 0 ? part.replaceAll('<', '\\<') : part))
    .join('`');
}

const code = (text) => `\`${text}\``;

function toolsPage({ OPERATIONS, inputSchema }) {
  const rows = OPERATIONS.map(({ name, title, scope, effects, toolset }) => [
    `[${name}](#${name})`,
    title,
    code(scope),
    effects,
    code(toolset),
  ]);
  return page(
    'Tools',
    'What an agent can call over MCP. Every tool is also a [route](routes.md) and a [command](commands.md). A tool is offered to whoever has its scope, unless the owner switched it off; of which [sets](../guides/tools.md) they are listed is the owner’s to say.',
    table(['Tool', 'What it does', 'Scope', 'Effects', 'Set'], rows),
    ...OPERATIONS.map((operation) => toolSection(operation, inputSchema(operation.input))),
  );
}

function toolSection(operation, schemaOfInput) {
  const { name, title, description, rest, restByPath, cli } = operation;
  const required = schemaOfInput.required ?? [];
  const inputs = Object.entries(schemaOfInput.properties).map(([key, schema]) => [
    code(key),
    typeOf(schema),
    required.includes(key) ? 'yes' : schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    schema.description,
  ]);
  const outputs = Object.entries(operation.output.shape).map(([key, schema]) => [
    code(key),
    outputType(schema),
    schema.def.type === 'optional' ? '' : 'always',
  ]);
  return [
    `## ${name}`,
    `${title}. ${description}`,
    [
      ...[rest, restByPath].map((route) => route && code(`${route.method} ${route.path}`)),
      cli && code(`lectern ${cli.noun} ${cli.verb}`),
    ]
      .filter((place) => place !== undefined)
      .join(' · '),
    inputs.length === 0
      ? 'Takes nothing.'
      : table(['Input', 'Type', 'Required or default', 'Meaning'], inputs),
    table(['Output', 'Type', 'Present'], outputs),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function typeOf(schema) {
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.enum) return schema.enum.map(code).join(', ');
  const bounds = [
    schema.minimum === undefined ? '' : `from ${schema.minimum}`,
    schema.maximum === undefined ? '' : `to ${schema.maximum}`,
  ].filter((bound) => bound !== '');
  return [schema.type ?? 'any', ...bounds].join(' ');
}

function outputType(schema) {
  const { def } = schema;
  if (def.type === 'optional') return outputType(def.innerType);
  if (def.type === 'nullable') return `${outputType(def.innerType)} or null`;
  if (def.type === 'array') return `list of ${outputType(def.element)}`;
  if (def.type === 'enum') return Object.values(def.entries).map(code).join(', ');
  if (def.type === 'object')
    return `{ ${Object.entries(schema.shape)
      .map(([key, held]) => (held.def.type === 'optional' ? `${key}?` : key))
      .join(', ')} }`;
  if (def.type === 'number') return 'number';
  return def.type;
}

function routesPage({ OPERATIONS, openApiDocument, problemOf, ERROR_CODES, LecternError }) {
  const { paths } = openApiDocument({ operations: OPERATIONS }, '');
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const rows = routes.map(({ path, method, operation }) => [
    code(`${method} ${path}`),
    operation.summary,
    code(operation['x-scope']),
    /^(?:events|file|file_head)$/.test(operation.operationId)
      ? operation.operationId.replace('_head', '')
      : toolLink(operation.operationId),
  ]);
  const errors = ERROR_CODES.map((name) => [code(name), problemOf(new LecternError(name, '')).status]);
  return page(
    'Routes',
    'REST, served by `lectern serve` below `/v1`, described for machines in `/openapi.json` (OpenAPI 3.1). Send the token as `Authorization: Bearer …`.',
    table(['Route', 'What it does', 'Scope', 'Fields'], rows),
    '## Requests',
    'A path in a route may have slashes, plain or as `%2F`; each segment is decoded once. GET, HEAD and DELETE take their other fields from the query: a list by repeating the key, an object as JSON. The others take a JSON object; `PUT /v1/notes/{path}` also takes the note as `text/markdown`, and PATCH a bare list of ops.',
    '## Answers',
    '`{"ok": true, "data": …}` with the same fields as the tool, or `{"ok": false, "error": …}` where error is an RFC 9457 (7807) problem with `code`, `details` and `next`. Lists have `total` and `next_cursor`, and a `Link` header to the next page. With `Accept: application/x-ndjson` a list is streamed one row a line: all of it, or `limit` rows.',
    '## Versions',
    'Every read has an `ETag`; `If-None-Match` with it answers 304 while nothing changed. A write takes `If-Match` (the ETag of the note it is based on; `*` = it must exist) and `PUT` takes `If-None-Match: *` (it must be new); 412 when that does not hold, and always when both are sent. `Idempotency-Key` makes a repetition answer as the first time.',
    '## Files',
    '`GET /v1/files/{path}` answers with the bytes of a note, canvas, base or attachment as they are stored, up to 64 MiB, under the path rules of the notes; `HEAD` with its size, type and `ETag`. `Range` asks for a part (206; 416 when there is none of it), `If-Range` for a part of one version. A browser is told to guess no other type, to run nothing in it and to let no other site show it.',
    '## Events',
    '`GET /v1/events` streams `note.updated` and `note.removed` as server-sent events, each with `{sequence, path, etag}` and an id. The id names the sequence and the index it counts in, and is not to be taken apart. A client that connects again with `Last-Event-ID` (or `?since=`) goes on where it was; of a file that changed several times meanwhile it hears the last state. `reset` says that this cannot be known, as the index was built anew: list again, then go on from its id.',
    '## Errors',
    table(['Code', 'Status'], errors),
    '`conflict` and `exists` are 412 when the request named a version.',
  );
}

async function commandsPage({ commandLine, ERROR_CODES, exitCodeFor }) {
  const program = await commandLine(undefined);
  const codes = new Map([[0, ['done']]]);
  for (const name of ERROR_CODES) {
    const exit = exitCodeFor(name);
    codes.set(exit, [...(codes.get(exit) ?? []), code(name)]);
  }
  const exits = [...codes].sort(([a], [b]) => a - b).map(([exit, names]) => [exit, names.join(', ')]);
  return page(
    'Commands',
    'On a terminal a command prints text; piped, or with `--json`, it prints the fields of the [tool](tools.md) as JSON, and errors as JSON on standard error.',
    'A text (`--body`, `--ops`) may come from a file with `--file <file>` and from standard input with `--file -`. What is piped without that is taken for the text when the command cannot do without one and nothing else to write was given; an empty input never is.',
    ...program.commands.flatMap((command) => commandSections(command, ['lectern'])),
    '## Exit codes',
    table(['Code', 'Meaning'], exits),
    'A wrong option is 2 as well. A command that deletes needs `--yes`, else it is refused with 4.',
  );
}

function commandSections(command, path) {
  const words = [...path, command.name()];
  const below = command.commands.flatMap((each) => commandSections(each, words));
  if (below.length > 0) return below;
  const places = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const options = command.options.map((option) => [code(option.flags), optionText(option)]);
  return [
    `## ${words.join(' ')}`,
    ['```', [...words, ...places, ...(options.length > 0 ? ['[options]'] : [])].join(' '), '```'].join('\n'),
    sentence(command.description()),
    ...(options.length > 0 ? [table(['Option', 'Meaning'], options)] : []),
  ];
}

function optionText({ description, argChoices }) {
  const choices = argChoices === undefined ? '' : argChoices.map(code).join(', ');
  return [description, choices].filter((part) => part !== '').join('; ');
}

function sentence(text) {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}

function settingsPage({ SETTING_TABLE, describedSetting }) {
  const rows = SETTING_TABLE.map((row) => [
    code(row.name),
    row.flag === undefined ? '' : code(row.flag.replace(/ .*/, '')),
    code(row.env),
    row.default === undefined ? '' : code(row.default),
    describedSetting(row) + rangeOf(row),
    row.live ? 'at once' : 'next start',
  ]);
  return page(
    'Settings',
    'A flag wins over the environment, the environment over the configuration file, the file over the default. Lists are written with commas in the environment. `lectern config show` prints each setting and where it comes from.',
    table(['In the file', 'Flag', 'Environment', 'Default', 'Meaning', 'A change holds'], rows),
    'The vault itself: `--vault`, `LECTERN_VAULT` or `INDX_VAULT`, or `vaults` in the file.',
  );
}

function rangeOf({ kind, min, max, longest }) {
  if (kind === 'number') return ` From ${min} to ${max}.`;
  return kind === 'duration' ? ` At most ${longest}.` : '';
}

function resourcesPage({ listTemplates, BUILTIN_PROMPTS }) {
  const { resourceTemplates } = listTemplates(() => true);
  const prompts = BUILTIN_PROMPTS.map((prompt) => [
    code(prompt.name),
    prompt.description,
    prompt.arguments.map(({ name, description }) => `${code(name)}: ${description}`).join('; '),
    prompt.tools.map(code).join(', '),
  ]);
  return page(
    'Resources and prompts',
    'What an agent can browse, watch and be asked for over MCP, beside the [tools](tools.md). A resource is there for whoever is offered the tool that shows the same.',
    '## Resources',
    table(
      ['URI', 'What it is', 'More'],
      resourceTemplates.map(({ uriTemplate, title, description }) => [code(uriTemplate), title, description]),
    ),
    'With several vaults these are the first one’s; `vaults://<vault>/…` in place of `vault://…` is any one’s.',
    'A folder named like a word of these URIs is written with a percent escape, as in `vault://%67raph/backlinks/x.md`.',
    '## Subscriptions',
    'A note (`vault://Projects/Foo.md`, which need not exist yet), a pattern (`vault://Projects/**`: each file is told of by its own URI) and any of the other resources can be subscribed to: `resources/subscribe` up to revision 2025-11-25, `subscriptions/listen` in 2026-07-28. Changes of 50 ms are told together, each file once; a search is told of when its results change, not when a score does.',
    '## Prompts',
    table(['Prompt', 'What it asks for', 'Arguments', 'Recommended tools'], prompts),
    '## Prompts of your own',
    'A note in the folder `Prompts` (setting `prompts.folder`) is a prompt: `Prompts/Meetings/Follow up.md` is `meetings_follow_up`. In its front matter `title` and `description` say what it is, `arguments` lists names, or maps of `name`, `description` and `required`, and `tools` the tools it is meant for; `{{name}}` in the text stands for an argument. One with the name of a built-in prompt takes its place.',
  );
}

const BEGIN = '<!-- settings: written by scripts/write-reference.mjs -->';
const END = '<!-- /settings -->';

/**
 * README.md with the flags that `lectern mcp serve` takes, between the two marks it has for them.
 *
 * @param parts the modules named in SOURCES, merged
 */
export function withSettings(readme, { SETTING_TABLE }) {
  const rows = SETTING_TABLE.filter(({ flag, on }) => flag && (on === 'vault' || on === 'serve')).map(
    (row) => [
      code(row.flag),
      code(row.env),
      row.help + (row.default === undefined || row.default === false ? '' : ` (default ${row.default})`),
    ],
  );
  const table = alignedTable([
    ['flag', 'variable', 'meaning'],
    ['`--vault <folder>`', '`LECTERN_VAULT`', 'the folder your notes are in; several as `name=<folder>`'],
    ['`--config <file>`', '`LECTERN_CONFIG`', 'another configuration file'],
    ...rows,
  ]);
  const [before = '', rest = ''] = readme.split(BEGIN);
  return `${before}${BEGIN}\n\n${table}\n\n${END}${rest.slice(rest.indexOf(END) + END.length)}`;
}

/** As the formatter of the other pages has it. */
function alignedTable(rows) {
  const cells = rows.map((row) => row.map(cell));
  const widths = cells[0].map((_, at) => Math.max(...cells.map((row) => row[at].length)));
  const line = (row) => `| ${row.map((text, at) => text.padEnd(widths[at])).join(' | ')} |`;
  const [head, ...body] = cells;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

/** Evaluates the sources: the pages describe the program, so the program has to be asked. */
async function loadParts() {
  const file = `${root}/dist/reference-${process.pid}.mjs`;
  const { outputFiles } = await build({
    stdin: { contents: SOURCES.join('\n'), resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  mkdirSync(`${root}/dist`, { recursive: true });
  writeFileSync(file, outputFiles[0].contents);
  try {
    return await import(file);
  } finally {
    rmSync(file);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(`${root}/docs/reference`, { recursive: true });
  const parts = await loadParts();
  const pages = await referencePages(parts);
  for (const [name, text] of Object.entries(pages)) writeFileSync(`${root}/docs/reference/${name}`, text);
  writeFileSync(`${root}/README.md`, withSettings(readFileSync(`${root}/README.md`, 'utf8'), parts));
}

/** A tool may have a second route. */
function toolLink(operationId) {
  const name = operationId.replace(/_by_path$/, '');
  return `[${name}](tools.md#${name})`;
}
