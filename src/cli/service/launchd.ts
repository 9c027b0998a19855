import { join } from 'node:path';
import { MARK, SERVICE, type ServiceManager } from './manager.ts';
import { runArguments, type ServicePlan } from './plan.ts';

const LABEL = `app.${SERVICE}.server`;

/** A launch agent of macOS, started at login. `service run` writes and rotates the server's log. */
export function launchd(home: string, user: number): ServiceManager {
  const path = join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`);
  const domain = `gui/${user}`;
  return {
    name: 'launchd',
    files: (plan) => [{ path, text: agent(plan) }],
    paths: () => [path],
    start: [['launchctl', 'bootstrap', domain, path]],
    stop: [['launchctl', 'bootout', `${domain}/${LABEL}`]],
    forget: [],
    status: ['launchctl', 'print', `${domain}/${LABEL}`],
    logs: undefined,
  };
}

function agent(plan: ServicePlan): string {
  const { command, home } = plan;
  const strings = [command[0], ...runArguments(plan)]
    .map((word) => `    <string>${xml(word)}</string>`)
    .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>WorkingDirectory</key>
  <string>${xml(home)}</string>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>90</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`;
}

/** Escapes the text of an XML element or attribute. */
export function xml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
