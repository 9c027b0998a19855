import type { CopyEnd, HomeForm } from './home.ts';
import type { CopyRecord } from './record.ts';

export interface PlanOptions {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  readonly record: CopyRecord;
  readonly signal: AbortSignal;
  /** Called for each note that was read. */
  readonly onRead: (done: number, total: number) => void;
}

export interface Forms {
  readonly from: HomeForm;
  readonly to: HomeForm;
}
