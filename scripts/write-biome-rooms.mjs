// Writes the room rules of scripts/rooms.mjs into biome.json. Run after changing the table.
import { readFileSync, writeFileSync } from 'node:fs';
import { ROOMS } from './rooms.mjs';

const file = new URL('../biome.json', import.meta.url);
const config = JSON.parse(readFileSync(file, 'utf8'));
const every = [...Object.keys(ROOMS), 'cli', 'main.ts'];
config.overrides = config.overrides.filter((o) => !o.includes?.[0]?.startsWith('src/'));
for (const [room, allowed] of Object.entries(ROOMS)) {
  const forbidden = every.filter((other) => other !== room && !allowed.includes(other));
  config.overrides.push({
    includes: [`src/${room}/**`, `!src/${room}/**/*.test.ts`],
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: 'error',
            options: {
              patterns: [
                {
                  group: forbidden.flatMap((other) => [`**/../${other}`, `**/../${other}/**`]),
                  message: `${room} may import only: ${allowed.join(', ') || 'nothing'} (scripts/rooms.mjs).`,
                },
              ],
            },
          },
        },
      },
    },
  });
}
writeFileSync(file, `${JSON.stringify(config, null, 2)}\n`);
