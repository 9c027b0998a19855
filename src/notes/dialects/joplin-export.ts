import { COMPLETED, joplinTimeText, yamlText } from './joplin.ts';

/** The front matter of Joplin's export "Markdown + Front Matter"; absent fields are left out. */
export interface ExportedFacts {
  readonly title?: string;
  readonly id?: string;
  /** ms since the epoch. */
  readonly updatedMs?: number;
  readonly createdMs?: number;
  readonly source?: string;
  readonly author?: string;
  readonly geo?: { readonly latitude: number; readonly longitude: number; readonly altitude: number };
  readonly todo?: { readonly done: boolean; readonly dueMs?: number };
  readonly tags?: readonly string[];
}

/** The lines between the fences, in the export's order and spelling. */
function joplinFrontMatter(facts: ExportedFacts): string {
  const { title, id, updatedMs, createdMs, source, author, geo, todo, tags = [] } = facts;
  const lines = [
    ...(title ? [`title: ${yamlText(title)}`] : []),
    ...(id ? [`id: ${id}`] : []),
    ...(updatedMs ? [`updated: ${joplinTimeText(updatedMs)}`] : []),
    ...(createdMs ? [`created: ${joplinTimeText(createdMs)}`] : []),
    ...(source ? [`source: ${yamlText(source)}`] : []),
    ...(author ? [`author: ${yamlText(author)}`] : []),
    ...(geo
      ? [
          `latitude: ${geo.latitude.toFixed(8)}`,
          `longitude: ${geo.longitude.toFixed(8)}`,
          `altitude: ${geo.altitude.toFixed(4)}`,
        ]
      : []),
    ...(todo ? [`${COMPLETED}: ${todo.done ? 'yes' : 'no'}`] : []),
    ...(todo?.dueMs ? [`due: ${joplinTimeText(todo.dueMs)}`] : []),
    ...(tags.length > 0 ? ['tags:', ...[...tags].sort().map((tag) => `  - ${yamlText(tag)}`)] : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The text of a note in the export's form. */
export function joplinExport(facts: ExportedFacts, body: string): string {
  return `---\n${joplinFrontMatter(facts)}---\n\n${body}`;
}
