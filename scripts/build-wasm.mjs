// Assembles the WebAssembly sources (.wat) into the modules that are checked in beside them. Tests assemble them
// again and compare, so that the two cannot drift apart.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const SOURCES = ['src/search/vector/int8-scan', 'src/index/sqlite/text/pack'];

/** @param {string} path of a source below the repository, without `.wat` */
function at(path, ending) {
  return fileURLToPath(new URL(`../${path}${ending}`, import.meta.url));
}

/**
 * @param {string} path of a source below the repository, without `.wat`
 * @returns {Promise<Uint8Array>} the module's bytes
 */
export async function assemble(path) {
  const assembler = await wabt();
  const module = assembler.parseWat(`${basename(path)}.wat`, readFileSync(at(path, '.wat'), 'utf8'), {
    simd: true,
    bulk_memory: true,
  });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

async function build(path) {
  const name = basename(path);
  const text = Buffer.from(await assemble(path)).toString('base64');
  const lines = (text.match(/.{1,96}/g) ?? []).map((line) => `  '${line}',`);
  writeFileSync(
    at(path, '.wasm.ts'),
    [
      `// Assembled from ${name}.wat by scripts/build-wasm.mjs. Do not edit.`,
      `export const ${name.toUpperCase().replaceAll('-', '_')}_MODULE = [`,
      ...lines,
      "].join('');",
      '',
    ].join('\n'),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const path of SOURCES) await build(path);
