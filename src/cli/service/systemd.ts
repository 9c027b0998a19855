import { join } from 'node:path';
import { MARK, SERVICE, type ServiceManager } from './manager.ts';
import type { ServicePlan } from './plan.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const UNIT = `${SERVICE}.service`;

/** A unit of the user’s own systemd. It keeps and turns over the log itself. */
export function systemd(environment: Environment, home: string): ServiceManager {
  const folder = join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user');
  const path = join(folder, UNIT);
  const user = (...args: string[]) => ['systemctl', '--user', ...args] as const;
  return {
    name: 'systemd',
    files: (plan) => [{ path, text: unit(plan) }],
    paths: () => [path],
    start: [user('daemon-reload'), user('enable', UNIT), user('restart', UNIT)],
    stop: [user('disable', '--now', UNIT)],
    forget: [user('daemon-reload')],
    status: user('--no-pager', 'status', UNIT),
    logs: ['journalctl', '--user', '--no-pager', '-n', '200', '-u', UNIT],
  };
}

/**
 * The unit. A call may take 60 seconds to be finished on the way out; settings that no server starts with (2) are not
 * tried again. What the kernel can hold back from it is held back, but for memory that is written and then run, which
 * the engine of JavaScript is made of.
 */
function unit({ command, writable, perhaps, environmentFile }: ServicePlan): string {
  const paths = [...writable, ...perhaps.map((path) => `-${path}`)].map((path) => quoted(path)).join(' ');
  return `# ${MARK}
[Unit]
Description=Lectern, a server for your notes
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${command.map((word) => quoted(word, true)).join(' ')}
EnvironmentFile=-${environmentFile.replaceAll('%', '%%')}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
KillSignal=SIGTERM
TimeoutStopSec=90
UMask=0077

NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths=${paths}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`;
}

/** A word of a unit: what systemd would take for something else is escaped. */
function quoted(text: string, isCommand = false): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%');
  return `"${isCommand ? escaped.replaceAll('$', '$$$$') : escaped}"`;
}
