import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * A real Chromium, out of a package: nothing is downloaded and nothing has to be installed on the machine. The
 * package is built for Linux on x64; it brings the system libraries that a bare machine does not have.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Why there is no browser on this machine; undefined when there is one. Continuous integration has to have one. */
export function whyNoBrowser(): string | undefined {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  const reason = `no Chromium in a package for ${process.platform} on ${process.arch}`;
  if (process.env.CI) throw new Error(`The tests in a browser cannot be left out here: ${reason}.`);
  return reason;
}

export async function openBrowser(): Promise<Browser> {
  const folder = unpacked();
  return await chromium.launch({
    executablePath: join(folder, 'chromium'),
    // Tests may run as root, for whom Chromium has no sandbox; it only sees pages of the tests.
    args: ['--no-sandbox'],
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') },
  });
}

/** Unpacks Chromium beside the packages, once: it takes ten seconds. */
function unpacked(): string {
  const manifest = join(root, 'node_modules/@sparticuz/chromium/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = join(root, 'node_modules/.cache', `chromium-${version}`);
  if (existsSync(folder)) return folder;
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  // It unpacks to the folder for temporary files, and its libraries only where it takes itself to need them.
  execFileSync(
    process.execPath,
    ['--input-type=module', '-e', "await (await import('@sparticuz/chromium')).default.executablePath()"],
    { cwd: root, env: { ...process.env, TMPDIR: temporary, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' } },
  );
  try {
    renameSync(temporary, folder);
  } catch {
    // Another process was faster.
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Everything a page complains about: errors in the console, exceptions, requests that came to nothing. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => complaints.push(`${request.url()} ${request.failure()?.errorText}`));
  return complaints;
}

export interface AccessibleControl {
  readonly role: string;
  readonly name: string;
}

/** What can be operated, as a screen reader is told; in no order. */
export async function controlsOf(page: Page): Promise<AccessibleControl[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes
    .filter(
      ({ ignored, role }) => !ignored && /^(textbox|radio|checkbox|button|link)$/.test(role?.value ?? ''),
    )
    .map(({ role, name }) => ({ role: String(role?.value), name: String(name?.value ?? '').trim() }));
}
