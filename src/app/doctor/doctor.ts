import type { HttpFlags } from '../../config/http-settings.ts';
import type { ServeFlags } from '../../config/settings.ts';
import { VERSION } from '../../config/version.ts';
import { isLecternError } from '../../errors.ts';
import { type Check, type Finding, type FindingStatus, said } from './check.ts';
import { certificate } from './checks/certificate.ts';
import { clients } from './checks/clients.ts';
import { clock } from './checks/clock.ts';
import { configuration } from './checks/configuration.ts';
import { drive } from './checks/drive.ts';
import { embedder } from './checks/embedder.ts';
import { indexFile } from './checks/index-file.ts';
import { keptFiles } from './checks/kept-files.ts';
import { links } from './checks/links.ts';
import { liveStores } from './checks/live-stores.ts';
import { locks } from './checks/locks.ts';
import { names } from './checks/names.ts';
import { native } from './checks/native.ts';
import { notes } from './checks/notes.ts';
import { oauth } from './checks/oauth.ts';
import { port } from './checks/port.ts';
import { runtime } from './checks/runtime.ts';
import { space } from './checks/space.ts';
import { state } from './checks/state.ts';
import { synced } from './checks/synced.ts';
import { tokens } from './checks/tokens.ts';
import { vaultPlace } from './checks/vault-place.ts';
import { watcher } from './checks/watcher.ts';
import { type DoctorContext, type DoctorSources, doctorContext } from './context.ts';

/** In the order of the report: checks that others depend on come first. */
const CHECKS: readonly Check[] = [
  runtime,
  native,
  configuration,
  vaultPlace,
  drive,
  names,
  notes,
  synced,
  links,
  state,
  space,
  locks,
  indexFile,
  keptFiles,
  watcher,
  port,
  certificate,
  tokens,
  oauth,
  clients,
  embedder,
  liveStores,
  clock,
];

/** A repair that is available, would be made, or was made. */
export interface RepairReport {
  readonly what: string;
  readonly state: 'offered' | 'planned' | 'done' | 'failed';
  /** The outcome. */
  readonly result?: string;
}

export interface ReportedFinding extends Omit<Finding, 'repair'> {
  readonly check: string;
  readonly repair?: RepairReport;
}

/** The doctor's report. Stable: fields are added, not changed. */
export interface DoctorReport {
  readonly format: 1;
  readonly version: string;
  /** ISO 8601. */
  readonly time: string;
  readonly ok: boolean;
  readonly counts: Readonly<Record<FindingStatus, number>>;
  readonly findings: readonly ReportedFinding[];
  /** With `--repair`: the repairs that were made, or would be. */
  readonly repairs: readonly RepairReport[];
}

export interface DoctorOptions {
  readonly flags: ServeFlags & HttpFlags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly sources: DoctorSources;
  readonly repair?: boolean;
  /** Only reports what a repair would do. */
  readonly dryRun?: boolean;
  /** Replaces names and paths that identify the owner. */
  readonly redact?: boolean;
}

/**
 * Runs all checks. No server is started; without `repair` nothing is changed, and with it no byte of a note.
 * A check that throws is reported like any other problem.
 */
export async function examine(options: DoctorOptions): Promise<DoctorReport> {
  const { flags, environment, sources, repair = false, dryRun = false, redact = false } = options;
  let context = await doctorContext(flags, environment, sources);
  let found = await runChecks(context);
  const repairs: RepairReport[] = [];
  if (repair) {
    for (const { repair: offered } of found)
      if (offered !== undefined)
        repairs.push(dryRun ? { what: offered.what, state: 'planned' } : await carriedOut(offered));
    if (!dryRun && repairs.length > 0) {
      // The report shows the state after the repair.
      const { privates } = context;
      context = { ...(await doctorContext(flags, environment, sources)), privates };
      found = await runChecks(context);
    }
  }
  const findings = found.map(reported);
  const count = (status: FindingStatus) => findings.filter((finding) => finding.status === status).length;
  const report: DoctorReport = {
    format: 1,
    version: VERSION,
    time: new Date(sources.now()).toISOString(),
    ok: count('problem') === 0,
    counts: { ok: count('ok'), problem: count('problem'), skipped: count('skipped') },
    findings,
    repairs,
  };
  return redact ? redacted(report, context) : report;
}

type Found = Finding & { readonly check: string };

async function runChecks(context: DoctorContext): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const check of CHECKS) {
    let findings: readonly Finding[];
    try {
      findings = await check.run(context);
    } catch (error) {
      findings = [
        {
          code: `${check.name}.failed`,
          status: 'skipped',
          message: `This could not be looked at (${check.name}): ${said(error)}.`,
        },
      ];
    }
    for (const finding of findings) {
      for (const name of finding.names ?? []) context.privates.add('note', name);
      found.push({ check: check.name, ...finding });
    }
  }
  return found;
}

async function carriedOut({ what, run }: NonNullable<Finding['repair']>): Promise<RepairReport> {
  try {
    return { what, state: 'done', result: await run() };
  } catch (error) {
    const next = isLecternError(error) && error.next !== undefined ? ` ${error.next}` : '';
    return { what, state: 'failed', result: `${said(error)}.${next}` };
  }
}

function reported({ repair, ...finding }: Found): ReportedFinding {
  return { ...finding, ...(repair && { repair: { what: repair.what, state: 'offered' as const } }) };
}

function redacted(report: DoctorReport, { privates }: DoctorContext): DoctorReport {
  const text = (value: string) => privates.redact(value);
  const of = (repair: RepairReport): RepairReport => ({
    ...repair,
    what: text(repair.what),
    ...(repair.result !== undefined && { result: text(repair.result) }),
  });
  return {
    ...report,
    findings: report.findings.map((finding) => ({
      ...finding,
      message: text(finding.message),
      ...(finding.next !== undefined && { next: text(finding.next) }),
      ...(finding.names && { names: finding.names.map(text) }),
      ...(finding.repair && { repair: of(finding.repair) }),
    })),
    repairs: report.repairs.map(of),
  };
}
