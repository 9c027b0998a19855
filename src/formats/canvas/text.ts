import { type Canvas, type CanvasData, type CanvasItem, type CanvasList, textOf } from './model.ts';

/** A searchable text of a node or an edge. */
interface CanvasPart {
  readonly list: CanvasList;
  readonly item: CanvasItem;
  readonly text: string;
}

const FIELDS = ['text', 'label', 'file', 'url'];

/** The searchable texts of a node or an edge: text, label, file path and URL. */
export function textsOf(data: CanvasData): readonly string[] {
  return FIELDS.flatMap((field) => textOf(data, field) || []);
}

/** The searchable text of a canvas: texts, labels, file paths and URLs, joined by line feeds. */
export function canvasText(canvas: Canvas): string {
  return canvasParts(canvas)
    .map(({ text }) => text)
    .join('\n');
}

/** The node or edge that contains a text. */
export interface CanvasPlace {
  readonly list: CanvasList;
  readonly id: string;
  /** 1-based line of the node or edge in the file. */
  readonly line: number;
}

/** The node or edge of a 1-based line of {@link canvasText}; undefined beyond its end. */
export function placeAtLine(canvas: Canvas, line: number): CanvasPlace | undefined {
  let next = 1;
  for (const { list, item, text } of canvasParts(canvas)) {
    next += linesIn(text);
    if (line < next) return { list, id: item.id, line: linesIn(canvas.text.slice(0, item.span.start)) };
  }
  return undefined;
}

function canvasParts({ nodes, edges }: Canvas): CanvasPart[] {
  const parts: CanvasPart[] = [];
  for (const [list, items] of [
    ['nodes', nodes],
    ['edges', edges],
  ] as const)
    for (const item of items) for (const text of textsOf(item.data)) parts.push({ list, item, text });
  return parts;
}

function linesIn(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
