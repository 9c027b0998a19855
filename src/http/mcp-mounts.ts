import type { Principal } from '../auth/grant.ts';
import type { Catalogue, CatalogueIdentity } from '../catalogues/catalogue.ts';
import type { CatalogueEntry } from '../catalogues/list.ts';
import type { McpServerOptions } from '../mcp/server.ts';
import type { Caller, Endpoint, EndpointOptions } from './endpoint.ts';
import { InFlight } from './in-flight.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { PlainEndpoint } from './plain-endpoint.ts';

/** One catalogue at one path. */
export interface Mount {
  readonly entry: CatalogueEntry;
  readonly identity: CatalogueIdentity;
  readonly endpoint: Endpoint;
}

/** The catalogues of a server, and its default. */
export interface ServedCatalogues {
  readonly all: readonly CatalogueEntry[];
  /** Name of the one at `/mcp`. */
  readonly main: string;
  /** Whether the owner's settings allow it. */
  isOn(name: string): boolean;
}

export interface McpMountsOptions
  extends Pick<EndpointOptions, 'maxBodyBytes' | 'sessionIdleMs' | 'maxSessions' | 'onError'> {
  readonly catalogues: ServedCatalogues;
  readonly optionsFor: (mount: MountedEntry, caller: Caller) => McpServerOptions;
  readonly stepUp: (mount: MountedEntry, caller: Caller, body: unknown) => Promise<Response | undefined>;
}

export interface MountedEntry {
  readonly identity: CatalogueIdentity;
  readonly load: () => Promise<Catalogue>;
}

/**
 * The MCP endpoints of a server: the default catalogue at `/mcp`, each of them at `/mcp/<name>`. A catalogue
 * is loaded at its first request.
 */
export class McpMounts {
  readonly exchanges = new InFlight();
  /** Of all endpoints together, now. */
  readonly sessions: { readonly size: number };
  readonly #options: McpMountsOptions;
  readonly #mounts = new Map<string, Promise<Mount>>();
  readonly #ready = new Set<Mount>();

  constructor(options: McpMountsOptions) {
    this.#options = options;
    const ready = this.#ready;
    this.sessions = {
      get size() {
        return [...ready].reduce((sum, { endpoint }) => sum + endpoint.sessions.size, 0);
      },
    };
  }

  /**
   * @param name undefined = the default
   * @returns undefined when there is no catalogue of that name
   */
  async at(name: string | undefined): Promise<Mount | undefined> {
    const { catalogues } = this.#options;
    const wanted = name ?? catalogues.main;
    const entry = catalogues.all.find((each) => each.name === wanted);
    if (entry === undefined) return undefined;
    const known = this.#mounts.get(wanted);
    if (known !== undefined) return await known;
    const mounting = this.#mount(entry);
    this.#mounts.set(wanted, mounting);
    mounting.catch(() => this.#mounts.delete(wanted));
    return await mounting;
  }

  isOn({ entry }: Mount): boolean {
    return this.#options.catalogues.isOn(entry.name);
  }

  /** Ends unused sessions, and those whose credential is no longer valid. */
  async sweep(stillWorks: (principal: Principal) => boolean): Promise<void> {
    await Promise.all([...this.#ready].map(({ endpoint }) => endpoint.sweep(stillWorks)));
  }

  /** Ends every stream and session; call it when no request is in progress. */
  async close(): Promise<void> {
    await Promise.all([...this.#ready].map(({ endpoint }) => endpoint.close()));
  }

  async #mount(entry: CatalogueEntry): Promise<Mount> {
    const { optionsFor, stepUp, ...shared } = this.#options;
    const identity = await entry.identity();
    const mounted = { identity, load: entry.load };
    const options: EndpointOptions = {
      ...shared,
      identity,
      exchanges: this.exchanges,
      optionsFor: (caller) => optionsFor(mounted, caller),
      stepUp: (caller, body) => stepUp(mounted, caller, body),
    };
    const endpoint =
      identity.protocol.plain === undefined ? new McpEndpoint(options) : new PlainEndpoint(options);
    const mount = { entry, identity, endpoint };
    this.#ready.add(mount);
    return mount;
  }
}
