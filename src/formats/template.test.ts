import { expect, it } from 'vitest';
import { fillTemplate } from './template.ts';

const VALUES = {
  title: '2026-11-03',
  day: new Date(2026, 10, 3),
  now: new Date(2026, 10, 4, 9, 5, 7),
  dateFormat: 'YYYY-MM-DD',
  timeFormat: 'HH:mm',
};

it.each([
  [
    '---\ncreated: {{date}}\n---\n# {{title}}\n## Log\n',
    '---\ncreated: 2026-11-03\n---\n# 2026-11-03\n## Log\n',
  ],
  ['{{Date:dddd, D MMM YYYY}} {{TIME}} {{time:h:mm:ss A}}', 'Tuesday, 3 Nov 2026 09:05 9:05:07 AM'],
  ['{{ title }}|{{date:}}', '2026-11-03|2026-11-03'],
  ['{{content}} {date} {{dates}} {{ }} {{date', '{{content}} {date} {{dates}} {{ }} {{date'],
])('%j becomes %j', (text, filled) => {
  expect(fillTemplate(text, VALUES)).toBe(filled);
});

it('puts values in as they are', () => {
  expect(fillTemplate('{{title}}', { ...VALUES, title: "$& {{date}} $'" })).toBe("$& {{date}} $'");
});
