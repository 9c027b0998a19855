import { posix } from 'node:path';
import type { Random } from '../support/random.ts';
import type { LinkMaker, NotePlan } from './note-text.ts';
import type { Language } from './words.ts';

/** Links as people write them: mostly names in double brackets, mostly to few much-linked notes. */
export function linkMaker(
  plans: readonly NotePlan[],
  language: Language,
  attachments: readonly string[],
): LinkMaker {
  const namesakes = new Map<string, number>();
  for (const { title } of plans) {
    const name = title.toLowerCase();
    namesakes.set(name, (namesakes.get(name) ?? 0) + 1);
  }
  const name = (plan: NotePlan) =>
    namesakes.get(plan.title.toLowerCase()) === 1 ? plan.title : plan.path.replace(/\.md$/, '');

  return (random: Random, from: NotePlan): string => {
    // The cube sends half of all links to an eighth of the notes; those before are hubs.
    const target = plans[Math.floor(plans.length * random.next() ** 3)] ?? from;
    const draw = random.next();
    if (draw < 0.55) return `[[${name(target)}]]`;
    if (draw < 0.68) return `[[${name(target)}|${language.common(random)} ${language.common(random)}]]`;
    if (draw < 0.75) return `[[${name(target)}#${language.title(random, target.topic)}]]`;
    if (draw < 0.79) return `![[${name(target)}]]`;
    if (draw < 0.82) return `![[${random.pick(attachments)}|300]]`;
    if (draw < 0.94) return `[${language.common(random)}](${relative(from.path, target.path)})`;
    return `[[${language.title(random, from.topic)} to write]]`;
  };
}

function relative(from: string, to: string): string {
  return encodeURI(posix.relative(posix.dirname(from), to)).replace(/[()#?]/g, encodeURIComponent);
}
