import { inputs } from '../../src/index/sqlite/testing.ts';
import { openVectorWriter } from '../../src/index/sqlite/vectors/writer.ts';
import { openIndexWriter } from '../../src/index/sqlite/write/writer.ts';
import { startEmbeddingJob } from '../../src/search/embed/job.ts';
import { countingEmbedder } from '../../src/search/embed/testing.ts';

/** As a process of its own: makes an index start over in another dialect, fills it with these files and embeds them. */
const [, , path = '', files = '{}'] = process.argv;
const index = openIndexWriter(path, { dialect: 'logseq' });
for (const [name, text] of Object.entries(JSON.parse(files) as Record<string, string>))
  index.apply(inputs({ [name]: text }, 'logseq'), []);
const job = startEmbeddingJob({
  vectors: openVectorWriter(path),
  dialect: 'logseq',
  settleMs: 0,
  neural: countingEmbedder(),
});
job.wake();
await job.idle();
await job.close();
index.close();
