import type { Random } from '../support/random.ts';
import { cjkText, type Language, type Topic } from './words.ts';

/** What a note's text is made from. */
export interface NotePlan {
  readonly path: string;
  readonly title: string;
  readonly topic: Topic;
  /** Bytes aimed at. */
  readonly size: number;
  /** Day the note was made, as `2024-03-01`. */
  readonly day: string;
  readonly cjk: boolean;
}

/** Writes a link from one note to another, or to an attachment, or to nothing. */
export type LinkMaker = (random: Random, from: NotePlan) => string;

const CALLOUTS = ['note', 'tip', 'warning', 'question'];
const STATUSES = ['open', 'active', 'waiting', 'done'];
const CODE = [
  '```js\nconst total = items.reduce((sum, item) => sum + item.price, 0);\nif (total > limit) throw new Error("over #limit");\n```',
  '```sh\nfind . -name "*.md" -newer stamp | xargs grep -l "[[Draft]]"\n```',
  '```python\nfor path in sorted(folder.glob("**/*.md")):\n    text = path.read_text()  # not a #tag\n```',
];

/** The whole Markdown of a note. */
export function noteText(random: Random, language: Language, plan: NotePlan, link: LinkMaker): string {
  let text = random.chance(0.7) ? frontmatter(random, language, plan, link) : '';
  if (random.chance(0.8)) text += `# ${plan.title}\n\n`;
  if (random.chance(0.35)) text += `#${plan.topic.tag} #${random.pick(STATUSES)}\n\n`;
  let level = 2;
  while (text.length < plan.size) {
    if (random.chance(0.3)) {
      level = random.chance(0.6) ? 2 : Math.min(level + 1, 4);
      text += `${'#'.repeat(level)} ${language.title(random, plan.topic)}\n\n`;
    }
    text += `${block(random, language, plan, link)}\n\n`;
  }
  return random.chance(0.9) ? text.replace(/\n+$/, '\n') : text.trimEnd();
}

function frontmatter(random: Random, language: Language, plan: NotePlan, link: LinkMaker): string {
  const lines = ['---', `created: ${plan.day}`];
  if (random.chance(0.7))
    lines.push(`tags: [${plan.topic.tag}, kind/${language.topical(random, plan.topic)}]`);
  if (random.chance(0.5)) lines.push(`status: ${random.pick(STATUSES)}`);
  if (random.chance(0.3)) lines.push(`rating: ${random.between(1, 5)}`);
  if (random.chance(0.2)) lines.push('aliases:', `  - ${language.title(random, plan.topic)}`);
  if (random.chance(0.2)) lines.push(`up: "${link(random, plan).replaceAll('"', '')}" # where this belongs`);
  return `${lines.join('\n')}\n---\n`;
}

function block(random: Random, language: Language, plan: NotePlan, link: LinkMaker): string {
  const sentence = () => language.sentence(random, plan.topic);
  const draw = random.next();
  if (draw < 0.58) return paragraph(random, language, plan, link);
  if (draw < 0.72)
    return list(random, () => `- ${sentence()}${random.chance(0.2) ? ` ${link(random, plan)}` : ''}`);
  if (draw < 0.82) return list(random, () => task(random, sentence(), plan.day));
  if (draw < 0.86) return random.pick(CODE);
  if (draw < 0.9) return table(random, language, plan);
  if (draw < 0.94)
    return `> [!${random.pick(CALLOUTS)}] ${language.title(random, plan.topic)}\n> ${sentence()}`;
  if (draw < 0.97) return `> ${sentence()} ${sentence()}`;
  return `${sentence()} ^${random.below(0xffffff).toString(16)}`;
}

function paragraph(random: Random, language: Language, plan: NotePlan, link: LinkMaker): string {
  if (plan.cjk && random.chance(0.6))
    return `${cjkText(random, random.between(30, 120))}。${link(random, plan)}`;
  let text = language.sentence(random, plan.topic);
  for (let more = random.between(1, 5); more > 0; more--) {
    if (random.chance(0.25)) text += ` See ${link(random, plan)}.`;
    text += ` ${language.sentence(random, plan.topic)}`;
    if (random.chance(0.04)) text += ` #${plan.topic.tag}/${language.topical(random, plan.topic)}`;
  }
  if (random.chance(0.02)) text += ' %% not sure yet %%';
  return text;
}

function list(random: Random, item: () => string): string {
  return Array.from({ length: random.between(2, 7) }, () =>
    random.chance(0.15) ? `  ${item()}` : item(),
  ).join('\n');
}

function task(random: Random, text: string, day: string): string {
  const due = random.chance(0.3) ? ` 📅 ${day}` : '';
  return `- [${random.chance(0.4) ? 'x' : ' '}] ${text.slice(0, 60)}${due}`;
}

function table(random: Random, language: Language, plan: NotePlan): string {
  const row = () =>
    `| ${language.topical(random, plan.topic)} | ${random.between(1, 999)} | ${language.common(random)} |`;
  return [
    '| name | count | note |',
    '| --- | ---: | --- |',
    ...Array.from({ length: random.between(2, 8) }, row),
  ].join('\n');
}
