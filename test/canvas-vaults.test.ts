import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { patchCanvas } from '../src/formats/canvas/edit/apply.ts';
import { replaceCanvas } from '../src/formats/canvas/edit/replace.ts';
import { parseCanvas } from '../src/formats/canvas/model.ts';
import { canvasProblems } from '../src/formats/canvas/problems.ts';
import { canvasReferences } from '../src/formats/canvas/references.ts';
import { viewCanvas } from '../src/formats/canvas/view.ts';
import { decodeText } from '../src/notes/text.ts';
import { archivesIn, filesOfArchive } from './patch/vault-archives.ts';

/** Every canvas of the public vaults, as people have made them. */

const SHARED = process.env.LECTERN_SHARED ?? fileURLToPath(new URL('../../shared', import.meta.url));
const VAULTS = join(SHARED, 'vaults');

interface RawCanvas {
  readonly nodes?: readonly Readonly<Record<string, unknown>>[];
  readonly edges?: readonly Readonly<Record<string, unknown>>[];
}

function canvases(): readonly { readonly path: string; readonly text: string }[] {
  return archivesIn(VAULTS).flatMap((archive) =>
    filesOfArchive(archive).flatMap(({ path, bytes }) => {
      const decoded = path.endsWith('.canvas') ? decodeText(bytes) : undefined;
      return decoded?.ok ? [{ path, text: decoded.text }] : [];
    }),
  );
}

const ALL = { order: 'reading', maxText: 100_000, offset: 0, limit: 10_000, maxChars: 10_000_000 } as const;

describe.skipIf(!existsSync(VAULTS))('canvases of public vaults (skipped where they are not)', () => {
  const all = existsSync(VAULTS) ? canvases() : [];

  it('are some', () => expect(all.length).toBeGreaterThan(15));

  it.each(all)('$path', ({ text }) => {
    const raw = (text === '' ? {} : JSON.parse(text)) as RawCanvas;
    const { nodes = [], edges = [] } = raw;
    const canvas = parseCanvas(text);
    expect(canvas.nodes.map(({ data }) => data)).toEqual(nodes);
    for (const [at, { span }] of canvas.nodes.entries())
      expect(JSON.parse(text.slice(span.start, span.end))).toEqual(nodes[at]);
    expect(canvasProblems(canvas)).toEqual([]);
    const files = nodes.filter(({ type }) => type === 'file').map(({ file }) => file);
    expect(
      canvasReferences(canvas)
        .filter(({ kind }) => kind === 'file')
        .map(({ target }) => target),
    ).toEqual(files);

    const view = viewCanvas(text, ALL);
    expect(view.nodes.map(({ id }) => id).sort()).toEqual(nodes.map(({ id }) => id).sort());
    expect(view.edges.length).toBe(edges.length);

    // As it is, by another door: not one byte is another.
    expect(replaceCanvas(text, raw as Record<string, unknown>)).toBe(text === '' ? expect.anything() : text);

    // A card and an edge are added and taken out again: what is left is the file.
    const [first] = canvas.nodes;
    const ops = [
      { op: 'add_node', id: 'added-card', type: 'text', text: 'x', ...(first && { near: first.id }) },
      { op: 'add_edge', id: 'added-edge', from_node: 'added-card', to_node: first?.id ?? 'added-card' },
    ];
    const added = patchCanvas(text, ops).text;
    const now = JSON.parse(added) as Required<RawCanvas>;
    expect([now.nodes.length, now.edges.length]).toEqual([nodes.length + 1, edges.length + 1]);
    const back = patchCanvas(added, [{ op: 'remove_node', id: 'added-card' }]).text;
    if (nodes.length > 0 && edges.length > 0) expect(back).toBe(text);
    else expect(JSON.parse(back)).toEqual({ nodes, edges });

    // Each node recoloured by itself changes its own line of the file, or what is in it.
    for (const node of canvas.nodes) {
      const after = patchCanvas(text, [{ op: 'update_node', id: node.id, color: '#123456' }]).text;
      expect(after.startsWith(text.slice(0, node.span.start))).toBe(true);
      expect(after.endsWith(text.slice(node.span.end))).toBe(true);
    }
  });
});
