import type { OperationContext } from '../../operations/operation.ts';
import { printableText } from './output.ts';
import { displayWidth } from './table.ts';

interface Screen {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** An answer on a terminal while it is being generated. */
export interface Draft {
  readonly listen: NonNullable<OperationContext['partial']>;
  /** Clears the draft for the final answer, whose citations have been checked. */
  end(): void;
}

/**
 * Prints an answer as it is generated. At the end the draft is erased, unless it has scrolled off the screen.
 */
export function draftOn(screen: Screen): Draft {
  let text = '';
  return {
    listen(part) {
      if (part.kind !== 'partial') return;
      const shown = printableText(part.text);
      text += shown;
      screen.write(shown);
    },
    end() {
      if (text === '') return;
      const { columns = 80, rows = 24 } = screen;
      const height = text
        .split('\n')
        .reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
      if (height >= rows) screen.write('\n\n');
      else screen.write(`${height > 1 ? `\u001b[${height - 1}A` : ''}\r\u001b[J`);
    },
  };
}
