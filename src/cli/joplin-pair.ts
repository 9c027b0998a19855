import { fromHome } from '../config/file/place.ts';
import { readConfigText, replaceConfig } from '../config/file/replace.ts';
import { pairedTokenFile } from '../config/store-secrets.ts';
import { pairWithJoplin } from '../stores/joplin/pair.ts';
import { stopOnSignals } from './signals.ts';

export interface PairFlags {
  readonly joplinUrl?: string;
  readonly joplinTokenFile?: string;
}

/**
 * Requests Joplin's token and stores it in the server's file, which only its owner can read; it is never
 * printed.
 */
export async function pair({ joplinUrl, joplinTokenFile }: PairFlags): Promise<void> {
  const stop = new AbortController();
  stopOnSignals(() => stop.abort());
  const token = await pairWithJoplin({
    ...(joplinUrl !== undefined && { url: joplinUrl }),
    signal: stop.signal,
    onAsked: (url) =>
      process.stderr.write(
        `lectern: Joplin at ${url} shows a question now. Accept it there (Ctrl+C gives up).\n`,
      ),
  });
  const file =
    joplinTokenFile === undefined ? pairedTokenFile(process.env) : fromHome(joplinTokenFile, process.cwd());
  await replaceConfig(file, await readConfigText(file), `${token}\n`);
  process.stdout.write(`Joplin accepted. Serve its notes with: lectern serve --vault joplin:\n`);
}
