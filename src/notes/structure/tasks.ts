import type { MarkdownNode } from '../markdown.ts';
import type { Span, Task } from '../model.ts';
import { spanAt } from '../spans.ts';
import type { LineIndex } from '../text.ts';

/** A list marker, then `[c]` with exactly one character, then a blank. */
const TASK = /(?:[-*+]|\d{1,9}[.)])[ \t]+\[([^\r\n[\]])\][ \t]/uy;

/** List items that start with a check box, any status character. */
export function readTasks(
  text: string,
  nodes: readonly MarkdownNode[],
  opaque: readonly Span[],
  lines: LineIndex,
): Task[] {
  const tasks: Task[] = [];
  for (const node of nodes) {
    if (node.kind !== 'listItem') continue;
    TASK.lastIndex = node.start;
    const match = TASK.exec(text);
    const status = match?.[1];
    if (match === null || status === undefined) continue;
    const textStart = node.start + match[0].length;
    const statusStart = textStart - 2 - status.length;
    if (spanAt(opaque, statusStart) !== undefined) continue;
    const line = lines.lineAt(node.start);
    const end = lines.endOf(line);
    tasks.push({
      status,
      statusSpan: { start: statusStart, end: statusStart + status.length },
      text: text.slice(textStart, end),
      span: { start: node.start, end },
      line,
    });
  }
  return tasks;
}
