/** A vault in the form of Joplin's export "Markdown + Front Matter": what the app writes, byte for byte. */

export interface ExportedNote {
  readonly updated: string;
  readonly created: string;
  readonly source?: string;
  readonly place?: readonly [latitude: string, longitude: string, altitude: string];
  readonly completed?: 'yes' | 'no';
  readonly due?: string;
  readonly tags?: readonly string[];
  readonly body: string;
}

export const NOTES: Readonly<Record<string, ExportedNote>> = {
  'Work/Roadmap.md': {
    updated: '2024-03-10 09:00:00Z',
    created: '2023-01-05 08:00:00Z',
    tags: ['planning', 'work'],
    body: 'The road ahead for the harbour project.\n\nMilestones are in the plan.',
  },
  'Work/Road trip.md': {
    updated: '2024-02-01 10:00:00Z',
    created: '2022-06-15 12:00:00Z',
    tags: ['travel'],
    body: 'A long road to the coast. Bring snacks and a map.',
  },
  'Work/Projects/Harbour plan.md': {
    updated: '2024-03-01 10:00:00Z',
    created: '2023-07-20 10:00:00Z',
    source: 'https://example.org/harbour',
    tags: ['harbour', 'work'],
    body: 'The plan for the harbour: cranes, quays and a café on the pier.\n\n![crane](../../_resources/crane.png)',
  },
  'Work/Projects/Budget.md': {
    updated: '2023-12-24 18:00:00Z',
    created: '2023-12-01 09:30:00Z',
    source: 'https://example.com/budget/2024',
    tags: ['money', 'work'],
    body: 'Costs of the quays and cranes. See the [report](../../_resources/report.pdf).',
  },
  'Work/Projects/Deep/Old notes.md': {
    updated: '2019-04-01 00:00:00Z',
    created: '2018-01-01 00:00:00Z',
    tags: ['archive'],
    body: 'Old road-map of the former team; nothing to see here.',
  },
  'Home/Shopping.md': {
    updated: '2024-03-12 07:00:00Z',
    created: '2024-03-01 07:00:00Z',
    completed: 'no',
    due: '2024-04-01 12:00:00Z',
    tags: ['errands'],
    body: 'Milk, bread, jalapeño and crème fraîche.',
  },
  'Home/Call the plumber.md': {
    updated: '2024-01-20 07:00:00Z',
    created: '2024-01-10 07:00:00Z',
    completed: 'yes',
    due: '2024-01-15 09:00:00Z',
    tags: ['errands', 'house'],
    body: 'The tap in the kitchen drips.',
  },
  'Home/Water the plants.md': {
    updated: '2024-02-20 07:00:00Z',
    created: '2021-05-01 07:00:00Z',
    completed: 'no',
    body: 'Every Sunday; the ficus needs less water.',
  },
  'Home/Recipes/Crêpes.md': {
    updated: '2022-11-11 11:00:00Z',
    created: '2020-02-02 02:00:00Z',
    source: 'https://cuisine.example.fr/crepes',
    tags: ['Cuisine française', 'cooking'],
    body: 'Milk, flour and eggs. Rest the batter for an hour.',
  },
  'Home/Recipes/Bread.md': {
    updated: '2023-10-10 10:00:00Z',
    created: '2021-10-10 10:00:00Z',
    tags: ['baking', 'cooking'],
    body: 'Flour, water, salt. Bake the bread dough at 230 &deg;C; a d&eacute;lice.',
  },
  'Travel/Lisbon.md': {
    updated: '2023-09-30 20:00:00Z',
    created: '2023-09-01 20:00:00Z',
    place: ['38.72230000', '-9.13930000', '12.0000'],
    tags: ['portugal', 'travel'],
    body: 'Trams and pastéis de nata. The road along the Tagus is flat.',
  },
  'Travel/Oslo.md': {
    updated: '2022-12-31 23:59:59Z',
    created: '2022-12-20 00:00:00Z',
    place: ['59.91390000', '10.75220000', '23.0000'],
    tags: ['norway', 'travel'],
    body: 'Fjords, skis and RÖADMAP of the tram network.',
  },
  'Travel/Tokyo.md': {
    updated: '2023-05-05 05:00:00Z',
    created: '2023-04-01 05:00:00Z',
    tags: ['japan', 'travel'],
    body: '東京は日本の首都です。電車が便利。',
  },
  'Travel/Bangkok.md': {
    updated: '2023-06-06 05:00:00Z',
    created: '2023-05-01 05:00:00Z',
    tags: ['travel'],
    body: 'กรุงเทพมหานคร is the Thai name of the city.',
  },
  'Journal/2024-03-09.md': {
    updated: '2024-03-09 22:00:00Z',
    created: '2024-03-09 21:00:00Z',
    tags: ['journal'],
    body: 'Met Anna at the harbour. We spoke of the plan, and not of the budget.',
  },
  'Journal/2024-03-10.md': {
    updated: '2024-03-10 22:00:00Z',
    created: '2024-03-10 21:00:00Z',
    tags: ['anna', 'journal'],
    body: 'Anna called about the milestones. OR was it Anne?',
  },
  'Journal/Empty.md': {
    updated: '2020-01-01 00:00:00Z',
    created: '2020-01-01 00:00:00Z',
    body: '',
  },
  'Reference/Query language.md': {
    updated: '2023-02-02 02:02:02Z',
    created: '2023-01-31 00:00:00Z',
    source: 'https://joplinapp.org/help/apps/search',
    tags: ['reference', 'to-read'],
    body: 'Filters look like tag:work or type:todo; words are joined by AND. Ratio 3:1.',
  },
  'Reference/Shell tricks.md': {
    updated: '2021-08-08 08:08:08Z',
    created: '2021-08-01 08:08:08Z',
    tags: ['linux', 'reference'],
    body: 'Use foo_bar-baz as a name; e-mail me at anna@example.org. The tag #linux is not a tag here.',
  },
  'Reference/Write report.md': {
    updated: '2024-03-11 08:00:00Z',
    created: '2024-03-05 08:00:00Z',
    completed: 'yes',
    tags: ['work'],
    body: 'The annual report is done. Road works ahead!',
  },
};

const PNG = 'not really a picture';

/** Front matter and body as the app joins them. */
function exported(title: string, note: ExportedNote): string {
  const lines = [`title: ${/^\d/.test(title) || !/[:#]/.test(title) ? title : `'${title}'`}`];
  lines.push(`updated: ${note.updated}`, `created: ${note.created}`);
  if (note.source !== undefined) lines.push(`source: ${note.source}`);
  if (note.place !== undefined) {
    const [latitude, longitude, altitude] = note.place;
    lines.push(`latitude: ${latitude}`, `longitude: ${longitude}`, `altitude: ${altitude}`);
  }
  if (note.completed !== undefined) lines.push(`completed?: ${note.completed}`);
  if (note.due !== undefined) lines.push(`due: ${note.due}`);
  if (note.tags !== undefined) lines.push('tags:', ...note.tags.map((tag) => `  - ${tag}`));
  return `---\n${lines.join('\n')}\n---\n\n${note.body}`;
}

export const EXPORTED_VAULT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(NOTES).map(([path, note]) => [
      path,
      exported(path.replace(/^.*\//, '').replace(/\.md$/, ''), note),
    ]),
  ),
  '_resources/crane.png': PNG,
  '_resources/report.pdf': '%PDF-1.4 nothing',
};

const ALL = Object.keys(NOTES).map((path) => path.replace(/^.*\//, '').replace(/\.md$/, ''));
const without = (...titles: readonly string[]) => ALL.filter((title) => !titles.includes(title));
const TODOS = ['Shopping', 'Call the plumber', 'Water the plants', 'Write report'];

/** Queries in Joplin's language with the titles of the notes that they find, in no particular order. */
export const QUERIES: readonly (readonly [query: string, titles: readonly string[]])[] = [
  // Words: all of them, whole, whatever their case and accents.
  ['harbour', ['Roadmap', 'Harbour plan', '2024-03-09']],
  ['HARBOUR', ['Roadmap', 'Harbour plan', '2024-03-09']],
  ['road', ['Roadmap', 'Road trip', 'Old notes', 'Lisbon', 'Write report']],
  ['roadmap', ['Roadmap', 'Oslo']],
  ['RÖADMAP', ['Roadmap', 'Oslo']],
  ['cafe', ['Harbour plan']],
  ['café', ['Harbour plan']],
  ['crepes', ['Crêpes']],
  ['jalapeno', ['Shopping']],
  ['creme fraiche', ['Shopping']],
  ['délice', ['Bread']],
  ['milk flour', ['Crêpes']],
  ['milk', ['Shopping', 'Crêpes']],
  ['  milk   flour  ', ['Crêpes']],
  ['plan harbour', ['Roadmap', 'Harbour plan', '2024-03-09']],
  ['crane', ['Harbour plan']],
  ['cranes', ['Harbour plan', 'Budget']],
  ['nothing-of-this', []],
  ['anna OR anne', ['2024-03-10']],
  ['anna AND plan', ['2024-03-09']],
  ['2024', ['2024-03-09', '2024-03-10']],
  ['2024 03', ['2024-03-09', '2024-03-10']],
  // Dashes, underscores and other signs part words.
  ['road-map', ['Old notes']],
  ['foo_bar', ['Shell tricks']],
  ['bar-baz', ['Shell tricks']],
  ['e-mail', ['Shell tricks']],
  ['anna@example.org', ['Shell tricks']],
  ['3:1', ['Query language']],
  ['http:x', []],
  ['#linux', ['Shell tricks']],
  // The beginning of a word.
  ['road*', ['Roadmap', 'Road trip', 'Old notes', 'Lisbon', 'Oslo', 'Write report']],
  ['mile*', ['Roadmap', '2024-03-10']],
  ['pl*', ['Roadmap', 'Harbour plan', 'Call the plumber', 'Water the plants', '2024-03-09']],
  ['*', []],
  ['*road', ['Roadmap', 'Road trip', 'Old notes', 'Lisbon', 'Write report']],
  // Phrases.
  ['"the plan"', ['Roadmap', 'Harbour plan', '2024-03-09']],
  ['"plan the"', []],
  ['"the road"', ['Roadmap', 'Lisbon']],
  ['"road trip"', ['Road trip']],
  ['"Road trip', ['Road trip']],
  ['"cranes, quays"', ['Harbour plan']],
  ['"the harb*"', ['Roadmap', 'Harbour plan', '2024-03-09']],
  // Without.
  ['road -trip', ['Roadmap', 'Old notes', 'Lisbon', 'Write report']],
  ['harbour -anna', ['Roadmap', 'Harbour plan']],
  ['harbour -"the plan"', []],
  [
    '-road -milk -anna',
    without(
      'Roadmap',
      'Road trip',
      'Old notes',
      'Lisbon',
      'Write report',
      'Shopping',
      'Crêpes',
      '2024-03-09',
      '2024-03-10',
      'Shell tricks',
    ),
  ],
  ['-road*', without('Roadmap', 'Road trip', 'Old notes', 'Lisbon', 'Oslo', 'Write report')],
  // Title and body: words, never phrases.
  ['title:road', ['Road trip']],
  ['title:plan', ['Harbour plan']],
  ['title:"harbour plan"', ['Harbour plan']],
  ['title:"plan harbour"', ['Harbour plan']],
  ['title:the', ['Call the plumber', 'Water the plants']],
  ['title:cre*', ['Crêpes']],
  ['-title:road road', ['Roadmap', 'Old notes', 'Lisbon', 'Write report']],
  ['body:road', ['Roadmap', 'Road trip', 'Old notes', 'Lisbon', 'Write report']],
  ['body:roadmap', ['Oslo']],
  ['body:"bread milk"', ['Shopping']],
  ['bread -body:bread', []],
  ['TITLE:bread', ['Bread']],
  ['title:bread body:flour', ['Bread']],
  // Tags.
  ['tag:work', ['Roadmap', 'Harbour plan', 'Budget', 'Write report']],
  ['tag:WORK', ['Roadmap', 'Harbour plan', 'Budget', 'Write report']],
  ['tag:work tag:harbour', ['Harbour plan']],
  ['tag:work -tag:planning', ['Harbour plan', 'Budget', 'Write report']],
  ['tag:tra*', ['Road trip', 'Lisbon', 'Oslo', 'Tokyo', 'Bangkok']],
  ['tag:*ing', ['Roadmap', 'Crêpes', 'Bread']],
  ['tag:"cuisine française"', ['Crêpes']],
  ['tag:"cuisine francaise"', []],
  ['tag:to-read', ['Query language']],
  ['tag:*', without('Water the plants', 'Empty')],
  ['-tag:*', ['Water the plants', 'Empty']],
  ['-tag:work road', ['Road trip', 'Old notes', 'Lisbon']],
  ['tag:none', []],
  // Notebooks, with those in them.
  ['notebook:Work', ['Roadmap', 'Road trip', 'Harbour plan', 'Budget', 'Old notes']],
  ['notebook:work', ['Roadmap', 'Road trip', 'Harbour plan', 'Budget', 'Old notes']],
  ['notebook:Projects', ['Harbour plan', 'Budget', 'Old notes']],
  ['notebook:projects cranes', ['Harbour plan', 'Budget']],
  ['notebook:Rec*', ['Crêpes', 'Bread']],
  ['notebook:Journal notebook:Recipes', ['2024-03-09', '2024-03-10', 'Empty', 'Crêpes', 'Bread']],
  ['notebook:Work -notebook:Projects', ['Roadmap', 'Road trip']],
  [
    '-notebook:Work -notebook:Home -notebook:Travel -notebook:Reference',
    ['2024-03-09', '2024-03-10', 'Empty'],
  ],
  ['notebook:nowhere', []],
  // Times: on that day or since, and before with a minus.
  ['created:2024', ['Shopping', 'Call the plumber', '2024-03-09', '2024-03-10', 'Write report']],
  ['created:202403', ['Shopping', '2024-03-09', '2024-03-10', 'Write report']],
  ['created:20240309', ['2024-03-09', '2024-03-10']],
  ['-created:2020', ['Old notes']],
  [
    'created:2023 -created:2024',
    ['Roadmap', 'Harbour plan', 'Budget', 'Lisbon', 'Tokyo', 'Bangkok', 'Query language'],
  ],
  ['updated:20240310', ['Roadmap', 'Shopping', '2024-03-10', 'Write report']],
  ['-updated:2021', ['Old notes', 'Empty']],
  ['updated:year-200 road', ['Roadmap', 'Road trip', 'Old notes', 'Lisbon', 'Write report']],
  ['updated:day+1', []],
  ['-created:month+1 milk', ['Shopping', 'Crêpes']],
  ['created:week-9000 tag:anna', ['2024-03-10']],
  ['due:2024', ['Shopping', 'Call the plumber']],
  ['due:20240201', ['Shopping']],
  ['-due:20240201', ['Call the plumber', 'Water the plants', 'Write report']],
  ['due:day+7', []],
  ['-due:day+7', TODOS],
  // Kinds.
  ['type:todo', TODOS],
  ['type:note road', ['Roadmap', 'Road trip', 'Old notes', 'Lisbon']],
  ['iscompleted:1', ['Call the plumber', 'Write report']],
  ['iscompleted:0', ['Shopping', 'Water the plants']],
  ['iscompleted:0 tag:errands', ['Shopping']],
  // Any of them.
  ['any:1 cranes milestones', ['Roadmap', 'Harbour plan', 'Budget', '2024-03-10']],
  ['cranes any:1 milestones', ['Roadmap', 'Harbour plan', 'Budget', '2024-03-10']],
  ['any:0 cranes quays', ['Harbour plan', 'Budget']],
  ['any:1 tag:japan tag:norway', ['Oslo', 'Tokyo']],
  ['any:1 iscompleted:1 tag:japan', ['Call the plumber', 'Write report', 'Tokyo']],
  ['any:1 title:bread milestones', ['Bread', 'Roadmap', '2024-03-10']],
  ['any:1 created:202403 tag:norway', ['Shopping', '2024-03-09', '2024-03-10', 'Write report', 'Oslo']],
  // Places, sources and attachments.
  ['latitude:40', ['Oslo']],
  ['latitude:38 -latitude:50', ['Lisbon']],
  ['-longitude:0', ['Lisbon']],
  ['altitude:12', ['Lisbon', 'Oslo']],
  ['sourceurl:https://example.org/harbour', ['Harbour plan']],
  ['sourceurl:https://example.*', ['Harbour plan', 'Budget']],
  ['sourceurl:*joplinapp*', ['Query language']],
  ['-sourceurl:* road', []],
  ['resource:image/png', ['Harbour plan']],
  ['resource:image/*', ['Harbour plan']],
  ['resource:application/pdf', ['Budget']],
  ['resource:*', ['Harbour plan', 'Budget']],
  ['tag:work -resource:*', ['Roadmap', 'Write report']],
  // Scripts without spaces: any part of the text.
  ['東京', ['Tokyo']],
  ['首都', ['Tokyo']],
  ['電車 東京', ['Tokyo']],
  ['京都', []],
  ['tag:travel 日本', ['Tokyo']],
  ['เทพ', ['Bangkok']],
  // The basic search: one piece of text.
  ['/oad tri', ['Road trip']],
  ['/quays and', ['Harbour plan', 'Budget']],
  ['/quays  and a', ['Harbour plan']],
];

/** Queries that Joplin's documentation gives no sense: each is an error, and none finds every note. */
export const INVALID_QUERIES: readonly string[] = [
  'type:foo',
  'type:',
  '-type:todo',
  'type:Todos road',
  'iscompleted:2',
  'iscompleted:yes',
  '-iscompleted:1',
  'any:2 road',
  '-any:1 road',
  'created:nonsense',
  'created:2024-03-09',
  'created:20241301',
  'created:20240230',
  'updated:day',
  'updated:day7',
  'due:tomorrow',
  '-due:soon',
  'latitude:north',
  'longitude:1e5',
  'tag:',
  'road tag:""',
  'notebook:""',
  'id:',
];
