import { readFileSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { hostInUrl, isLoopback } from '../../../config/loopback.ts';
import { type Check, ok, problem } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { descriptorsOf, processes } from '../users-of-file.ts';

const LIMIT_MS = 2000;
/** Lower ports need a privilege, unless the kernel has another limit. */
const FIRST_FREE_PORT = 1024;
const ANYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::', '']);

/**
 * Checks the port that `lectern serve` would listen on. The doctor does not listen; it asks the program that
 * does.
 */
export const port: Check = {
  name: 'port',
  async run(context) {
    const { http } = context;
    if (http === undefined) return [];
    const { host, port, tls } = http;
    if (port === 0) return [ok('port.any', 'The server takes any port that is free.')];
    if (!isOfThisMachine(host))
      return [
        problem(
          'port.no_address',
          `The address ${context.privates.add('address', host)} that the server is to listen on is none of this machine’s.`,
          'Set http.host to 127.0.0.1, or to an address that this machine has.',
        ),
      ];
    if (port < firstFreePort(context) && context.user !== 0 && context.platform === 'linux')
      return [
        problem(
          'port.privileged',
          `This user may not listen on port ${port}.`,
          'Take a port from 1024 on and let a reverse proxy listen there.',
        ),
      ];
    const target = ANYWHERE.has(host) ? '127.0.0.1' : host;
    if (!(await answers(target, port))) return [ok('port.free', `Port ${port} is free.`)];
    if (await isLectern(target, port, tls !== undefined))
      return [ok('port.served', `A Lectern serves on port ${port}.`)];
    const owner = ownerOf(context, port);
    return [
      problem(
        'port.taken',
        `Port ${port} is taken${owner === undefined ? ' by another program' : ` by ${owner}`}.`,
        'End that program, or give Lectern another port: lectern config set http.port <number>.',
      ),
    ];
  },
};

function isOfThisMachine(host: string): boolean {
  if (isIP(host) === 0 || ANYWHERE.has(host) || isLoopback(host)) return true;
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === host));
}

function firstFreePort({ proc }: DoctorContext): number {
  try {
    return Number(readFileSync(join(proc, 'sys/net/ipv4/ip_unprivileged_port_start'), 'utf8'));
  } catch {
    return FIRST_FREE_PORT;
  }
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: LIMIT_MS });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

/** Whether Lectern listens there: its health answer needs no token, and no other program sends the same. */
async function isLectern(host: string, port: number, isTls: boolean): Promise<boolean> {
  // The certificate is for another name, so the health answer is requested over plain HTTP only.
  if (isTls) return await answersTls(host, port);
  try {
    const response = await fetch(`http://${hostInUrl(host)}:${port}/healthz`, {
      signal: AbortSignal.timeout(LIMIT_MS),
      redirect: 'manual',
    });
    return response.ok && (await response.text()) === '{"ok":true}';
  } catch {
    return false;
  }
}

async function answersTls(host: string, port: number): Promise<boolean> {
  const { request } = await import('node:https');
  return new Promise((resolve) => {
    const asked = request(
      { host, port, path: '/healthz', rejectUnauthorized: false, timeout: LIMIT_MS },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text === '{"ok":true}'));
      },
    );
    asked.on('error', () => resolve(false));
    asked.on('timeout', () => asked.destroy());
    asked.end();
  });
}

/** The process that listens on a port, on Linux. */
function ownerOf({ proc }: DoctorContext, port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  try {
    const inodes = ['tcp', 'tcp6'].flatMap((table) =>
      readFileSync(join(proc, 'net', table), 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter((fields) => fields[1]?.endsWith(`:${hex}`) && fields[3] === '0A')
        .map((fields) => `socket:[${fields[9]}]`),
    );
    const owner = processes(proc).find(({ pid }) =>
      descriptorsOf(proc, pid).some((target) => inodes.includes(target)),
    );
    return owner === undefined ? undefined : `${owner.name} (process ${owner.pid})`;
  } catch {
    return undefined;
  }
}
