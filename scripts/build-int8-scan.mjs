// Assembles src/search/vector/int8-scan.wat into the module that is checked in beside it. A test
// assembles it again and compares, so the two cannot drift apart.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const source = fileURLToPath(new URL('../src/search/vector/int8-scan.wat', import.meta.url));
const target = fileURLToPath(new URL('../src/search/vector/int8-scan.wasm.ts', import.meta.url));

/** @returns {Promise<Uint8Array>} the module's bytes */
export async function assemble() {
  const assembler = await wabt();
  const module = assembler.parseWat('int8-scan.wat', readFileSync(source, 'utf8'), { simd: true });
  try {
    module.validate();
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = Buffer.from(await assemble()).toString('base64');
  const lines = (text.match(/.{1,96}/g) ?? []).map((line) => `  '${line}',`);
  writeFileSync(
    target,
    [
      '// Assembled from int8-scan.wat by scripts/build-int8-scan.mjs. Do not edit.',
      'export const INT8_SCAN_MODULE = [',
      ...lines,
      "].join('');",
      '',
    ].join('\n'),
  );
}
