/** Lines for the host's log: one for each write and each failure. */

type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

/** @param bytes length of the text that was given */
export function tellWrite(action: string, page: string, bytes: number, facts: Facts = {}): void {
  tell(`[WRITE] action=${action} page=${JSON.stringify(page)} bytes=${bytes}`, facts);
}

/** @param page the page as the client named it; undefined when it named none */
export function tellFailure(tool: string, code: string, page: string | undefined, facts: Facts = {}): void {
  tell(`[ERROR] tool=${tool} code=${code} page=${JSON.stringify(page ?? null)}`, facts);
}

function tell(line: string, facts: Facts): void {
  const more = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  process.stderr.write(`${line}${more.join('')}\n`);
}
