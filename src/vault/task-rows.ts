import { WORK_HERE } from '../budgets.ts';
import type { ListFilter, NoteIndexReader, PathFilter } from '../index/note-index.ts';
import type { Dialect, ParsedNote } from '../notes/model.ts';
import { parseNote } from '../notes/parse.ts';
import { dueOf, type TaskState, taskState } from '../notes/structure/task-facts.ts';
import { taskMarksAt } from '../notes/structure/tasks.ts';
import { isHeading, LIST_MARKS, mayHaveTasks, readLines } from '../search/lexical/text-segments.ts';
import type { Pacer } from '../search/pacer.ts';

/** A task of a note, as listed. */
export interface TaskRow {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** The character between the brackets, or the keyword. */
  readonly status: string;
  readonly state: TaskState;
  /** The task's text, to the end of its line. */
  readonly text: string;
  /** The nearest heading above. */
  readonly heading: string | undefined;
  /** `YYYY-MM-DD` */
  readonly due: string | undefined;
  /** Tags on its own line, without `#`. */
  readonly tags: readonly string[];
}

const TAG = /(?<=^|\s)#([^\s#,;.!?()[\]{}<>"'`]+)/gu;

/** Tasks of one long note returned per batch. */
const BATCH = 1000;

/**
 * The tasks of the notes that match a filter, in order of path and line, from the texts in the index.
 * @throws the reason of the pacer's signal when it aborts
 */
export async function* taskRows(
  reader: NoteIndexReader,
  filter: ListFilter,
  visible: PathFilter | undefined,
  dialect: Dialect,
  pacer: Pacer,
): AsyncGenerator<readonly TaskRow[]> {
  for await (const { path, text } of reader.scan(filter, visible)) {
    if (pacer.due) await pacer.pause();
    if (!mayHaveTasks(text, dialect)) continue;
    if (text.length <= WORK_HERE) yield parsedTasks(path, text, dialect);
    else yield* longTasks(path, text, dialect, pacer);
  }
}

function parsedTasks(path: string, text: string, dialect: Dialect): TaskRow[] {
  const note = parseNote(text, { dialect });
  const tags = tagsByLine(note);
  let next = 0;
  return note.tasks.map(({ status, line, span, text: own }) => {
    while ((note.headings[next]?.span.start ?? Number.POSITIVE_INFINITY) < span.start) next += 1;
    return row(path, text, dialect, {
      line,
      status,
      own,
      end: span.end,
      heading: note.headings[next - 1]?.text,
      tags: tags.get(line) ?? [],
    });
  });
}

function tagsByLine({ tags }: ParsedNote): ReadonlyMap<number, readonly string[]> {
  const byLine = new Map<number, string[]>();
  for (const { name, property, line } of tags) {
    if (property !== undefined) continue;
    const names = byLine.get(line);
    if (names === undefined) byLine.set(line, [name]);
    else names.push(name);
  }
  return byLine;
}

/** For a note too long to parse on this thread: line by line, as search reads it. */
async function* longTasks(
  path: string,
  text: string,
  dialect: Dialect,
  pacer: Pacer,
): AsyncGenerator<readonly TaskRow[]> {
  let rows: TaskRow[] = [];
  let line = 0;
  let heading: string | undefined;
  for (const at of readLines(text)) {
    line += 1;
    if (pacer.due) await pacer.pause();
    if (at.opaque) continue;
    if (isHeading(text, at)) {
      heading = text.slice(at.start, at.end).replace(/^[ ]*#+[ \t]*|(?:[ \t]+#+)?[ \t]*$/g, '');
      continue;
    }
    const marks = LIST_MARKS.has(at.mark)
      ? taskMarksAt(text, text.indexOf(at.mark, at.start), dialect)
      : undefined;
    if (marks === undefined) continue;
    const own = text.slice(marks.textStart, at.end);
    const tags = [...own.matchAll(TAG)].flatMap(([, name]) => name ?? []);
    rows.push(row(path, text, dialect, { line, status: marks.status, own, end: at.end, heading, tags }));
    if (rows.length < BATCH) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

interface Found {
  readonly line: number;
  readonly status: string;
  readonly own: string;
  readonly end: number;
  readonly heading: string | undefined;
  readonly tags: readonly string[];
}

function row(path: string, text: string, dialect: Dialect, found: Found): TaskRow {
  const { line, status, own, end, heading, tags } = found;
  return {
    path,
    line,
    status,
    state: taskState(status, dialect),
    text: own.trim(),
    heading,
    due: dueOf(own, text, end, dialect),
    tags: [...new Set(tags)],
  };
}
