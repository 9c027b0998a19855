import type { Command } from 'commander';
import type { DoctorFlags } from './doctor.ts';
import { withServeOptions, withSettingOptions } from './setting-options.ts';

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  const doctor = withServeOptions(
    program
      .command('doctor')
      .description(
        'look at everything that Lectern needs and say what is wrong, each with the one thing to do',
      )
      .option('--json', 'as JSON')
      .option('--redact', 'leave out names, paths and addresses, for a bug report')
      .option('--repair', 'put right what can be put right without touching a note')
      .option('--dry-run', 'with --repair: say what it would do'),
  );
  withSettingOptions(doctor, 'http')
    .exitOverride()
    .action(async (flags: DoctorFlags) => {
      const { runDoctor } = await import('./doctor.ts');
      await runDoctor(flags);
    });
}
