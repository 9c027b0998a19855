import { MACHINE } from '../app/doctor/context.ts';
import { type DoctorReport, examine, type RepairReport, type ReportedFinding } from '../app/doctor/doctor.ts';
import type { HttpFlags } from '../config/http-settings.ts';
import type { ServeFlags } from '../config/settings.ts';
import { LecternError } from '../errors.ts';
import { EXIT } from './commands/exit-codes.ts';
import { terminalWidth, wrapped } from './commands/wrap.ts';
import { clientUses } from './doctor-clients.ts';

export interface DoctorFlags extends ServeFlags, HttpFlags {
  readonly json?: boolean;
  readonly redact?: boolean;
  readonly repair?: boolean;
  readonly dryRun?: boolean;
}

/**
 * Runs the doctor's checks on this machine and prints the findings. The exit code is 0 without problems,
 * otherwise 1.
 *
 * @throws LecternError `invalid_input` for `--dry-run` without `--repair`
 */
export async function runDoctor(flags: DoctorFlags): Promise<void> {
  const { json = false, redact = false, repair = false, dryRun = false } = flags;
  if (dryRun && !repair)
    throw new LecternError('invalid_input', '--dry-run says what --repair would do.', {
      next: 'Give both, or neither: without --repair nothing is changed.',
    });
  const report = await examine({
    flags,
    environment: process.env,
    sources: { ...MACHINE, clients: () => clientUses(process.env) },
    repair,
    dryRun,
    redact,
  });
  const width = process.stdout.isTTY ? terminalWidth(process.stdout.columns) : undefined;
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : doctorText(report, width));
  process.exitCode = report.ok ? EXIT.done : EXIT.failed;
}

const MARKS = { ok: '✓', problem: '✗', skipped: '–' } as const;
const DONE = { offered: '→', planned: '→', done: '✓', failed: '✗' } as const;
/** Most names shown per finding; JSON has all of them. */
const NAMES_SHOWN = 5;

/** The report as text. @param width columns of the terminal; undefined = unlimited */
function doctorText(report: DoctorReport, width: number | undefined): string {
  const { findings, repairs, counts } = report;
  const lines = [
    ...repairs.map((repair) => repairText(repair, width)),
    ...(repairs.length > 0 ? [''] : []),
    ...findings.map((finding) => findingText(finding, width)),
    '',
    counts.problem === 0
      ? 'Nothing is wrong.'
      : `${counts.problem === 1 ? 'One thing is' : `${counts.problem} things are`} wrong.`,
  ];
  return `${lines.join('\n')}\n`;
}

function findingText({ status, message, next, names }: ReportedFinding, width: number | undefined): string {
  const more = (names?.length ?? 0) - NAMES_SHOWN;
  return [
    wrapped(`${MARKS[status]} ${message}`, width, '  '),
    ...(names ?? []).slice(0, NAMES_SHOWN).map((name) => `    ${printable(name)}`),
    ...(more > 0 ? [`    and ${more} more (--json)`] : []),
    ...(next === undefined ? [] : [wrapped(`  → ${next}`, width, '    ')]),
  ].join('\n');
}

function repairText({ what, state, result }: RepairReport, width: number | undefined): string {
  const said = result ?? `${state === 'planned' ? 'Would ' : ''}${what}.`;
  return wrapped(`${DONE[state]} ${said}`, width, '  ');
}

/** Replaces control characters, which a terminal would execute. */
function printable(name: string): string {
  return name.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u{fffd}');
}
