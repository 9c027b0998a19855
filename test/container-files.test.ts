import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { SETTING_TABLE } from '../src/config/setting-rows.ts';
import { dockerfileStages, environmentOf, ROOT } from './support/dockerfile.ts';

/**
 * Dockerfile, compose.yaml and fly.toml, as far as they can be checked without a container engine: that they can be
 * read, that they agree with each other and with the program. test/long/container-steps.test.ts runs their steps.
 */

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const VARIABLES = new Set(['LECTERN_VAULT', ...SETTING_TABLE.flatMap(({ env }) => env)]);
const [build = [], final = []] = dockerfileStages();
const environment = environmentOf(final);
const port = final.find(({ keyword }) => keyword === 'EXPOSE')?.words[0];

describe('Dockerfile', () => {
  it('has nothing that a linter finds', () => {
    expect(validate(read('Dockerfile'))).toEqual([]);
  });

  it('builds on a release of Node that the program supports, by version', () => {
    for (const [from] of [build, final]) {
      const [, version] = /^node:(\d+)-/.exec(from?.words[0] ?? '') ?? [];
      expect(Number(version)).toBeGreaterThanOrEqual(20);
    }
  });

  it('copies what is there and what is not ignored', () => {
    const patterns = read('.dockerignore').trim().split('\n');
    for (const { keyword, words, flags } of [...build, ...final]) {
      if (keyword !== 'COPY' || flags.from !== undefined) continue;
      for (const source of words.slice(0, -1)) {
        expect(existsSync(join(ROOT, source)), source).toBe(true);
        expect(patterns, source).toContain(`!${source}`);
      }
    }
  });

  it('runs without privileges, and says where notes and state are', () => {
    const last = final.findLast(({ keyword }) => keyword === 'USER');
    expect(last?.words).toEqual(['node']);
    const volumes = final.find(({ keyword }) => keyword === 'VOLUME')?.words;
    expect(volumes).toEqual([environment.LECTERN_VAULT, environment.LECTERN_STATE]);
    const made = final.find(({ keyword }) => keyword === 'RUN')?.text ?? '';
    for (const volume of volumes ?? []) expect(made).toContain(volume);
  });

  it('sets variables that the program knows, and listens where it says', () => {
    for (const name of Object.keys(environment).filter((name) => name.startsWith('LECTERN_'))) {
      expect(VARIABLES, name).toContain(name);
    }
    expect(environment.LECTERN_PORT).toBe(port);
    expect(environment.LECTERN_HOST).toBe('0.0.0.0');
  });
});

describe('compose.yaml', () => {
  const document = parseDocument(read('compose.yaml'), { strict: true, uniqueKeys: true });
  const { services, volumes } = document.toJS() as {
    services: Record<string, Record<string, unknown>>;
    volumes: Record<string, unknown>;
  };
  const { lectern = {} } = services;

  /** Of the Compose specification, what the example uses; another word there would be a slip. */
  const KNOWN = [
    'build',
    'cap_drop',
    'environment',
    'ports',
    'read_only',
    'restart',
    'security_opt',
    'stop_grace_period',
    'tmpfs',
    'user',
    'volumes',
  ];

  it('is YAML without doubt, in words of the specification', () => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    expect(Object.keys(document.toJS() as object)).toEqual(['services', 'volumes']);
    expect(Object.keys(lectern).toSorted()).toEqual(KNOWN);
  });

  it('takes every privilege away', () => {
    expect(lectern).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('is reached on loopback only, at the port of the image', () => {
    expect(lectern.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  });

  it('mounts both volumes of the image, and names what it mounts', () => {
    const mounts = (lectern.volumes as string[]).map(
      (mount) => /^(?:\$\{[^}]+\}|[^:]+):(.+)$/.exec(mount)?.[1],
    );
    expect(mounts).toEqual([environment.LECTERN_VAULT, environment.LECTERN_STATE]);
    expect(Object.keys(volumes)).toEqual(['state']);
  });

  it('sets variables that the program knows', () => {
    for (const name of Object.keys(lectern.environment as object)) expect(VARIABLES, name).toContain(name);
  });

  it('waits longer for the end than the program takes for calls in flight', () => {
    expect(Number.parseInt(String(lectern.stop_grace_period), 10)).toBeGreaterThan(60 + 2 + 2);
  });
});

describe.each(['caddy', 'traefik', 'silverbullet'])('packaging/docker/%s.yaml', (name) => {
  const file = `packaging/docker/${name}.yaml`;
  const document = parseDocument(read(file), { strict: true, uniqueKeys: true });
  const { services, volumes = {} } = document.toJS() as {
    services: Record<string, Service>;
    volumes?: Record<string, unknown>;
  };
  const added = services[name] ?? {};

  it('is YAML without doubt, and says with which command it is used', () => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    expect(document.commentBefore ?? read(file)).toContain(`-f compose.yaml -f ${file} up -d`);
  });

  it('adds one service, and gives Lectern no more than variables that the program knows', () => {
    expect(Object.keys(services).filter((service) => service !== 'lectern')).toEqual([name]);
    const { environment: given = {}, networks: _networks, ...rest } = services.lectern ?? {};
    expect(rest).toEqual({});
    for (const variable of Object.keys(given)) expect(VARIABLES, variable).toContain(variable);
  });

  it('takes privileges away, names an image of one line, and mounts what it declares', () => {
    expect(added.security_opt).toEqual(['no-new-privileges:true']);
    expect(added.image).toMatch(/:[^:/]+$/);
    const named = (added.volumes ?? [])
      .map((mount) => mount.split(':')[0] ?? '')
      .filter((source) => /^[a-z]/.test(source));
    expect(Object.keys(volumes).toSorted()).toEqual(named.toSorted());
  });

  it('believes the proxy alone, whose addresses it fixes', () => {
    const trusted = services.lectern?.environment?.LECTERN_TRUST_PROXY;
    if (name === 'silverbullet') return expect(trusted).toBeUndefined();
    const { networks } = document.toJS() as { networks: { front: { ipam: { config: unknown } } } };
    expect(networks.front.ipam.config).toEqual([{ subnet: trusted }]);
    expect([services.lectern?.networks, added.networks]).toEqual([['front'], ['front']]);
    expect(JSON.stringify(document.toJS())).toContain(`lectern:${port}`);
  });
});

interface Service {
  readonly image?: string;
  readonly environment?: Record<string, string>;
  readonly networks?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly volumes?: readonly string[];
}

describe('fly.toml', () => {
  const config = parseToml(read('fly.toml')) as unknown as {
    app: string;
    build: { dockerfile: string };
    env: Record<string, string>;
    mounts: { source: string; destination: string }[];
    http_service: {
      internal_port: number;
      force_https: boolean;
      auto_stop_machines: string;
      checks: { path: string }[];
    };
  };

  it('builds the same image and reaches it at its port', () => {
    expect(existsSync(join(ROOT, config.build.dockerfile))).toBe(true);
    expect(String(config.http_service.internal_port)).toBe(port);
    expect(config.http_service.force_https).toBe(true);
  });

  it('looks at the readiness that the program serves', () => {
    expect(config.http_service.checks.map(({ path }) => path)).toEqual(['/readyz']);
  });

  it('keeps notes and state on its volume', () => {
    const [{ destination } = { destination: '?' }] = config.mounts;
    for (const name of ['LECTERN_VAULT', 'LECTERN_STATE']) {
      expect(config.env[name]?.startsWith(`${destination}/`), name).toBe(true);
    }
  });

  it('sets variables that the program knows, and where clients reach it', () => {
    for (const name of Object.keys(config.env)) expect(VARIABLES, name).toContain(name);
    expect(config.env.LECTERN_PUBLIC_URL).toBe(`https://${config.app}.fly.dev`);
  });
});
