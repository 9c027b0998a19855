import { join } from 'node:path';
import { MARK, SERVICE, type ServiceManager } from './manager.ts';
import type { ServicePlan } from './plan.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const UNIT = `${SERVICE}.service`;

/** A unit of the user’s systemd, which keeps and rotates the log. */
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
 * The unit's text. Open calls have 60 seconds to finish at a stop. After exit code 2 (wrong settings) the
 * server is not restarted. All sandboxing options are on, except the ban on memory that is both written and
 * executed, which JavaScript engines need.
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

/** Quotes a word of a unit file and escapes systemd's special characters. */
function quoted(text: string, isCommand = false): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%');
  return `"${isCommand ? escaped.replaceAll('$', '$$$$') : escaped}"`;
}
