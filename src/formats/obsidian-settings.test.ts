import { describe, expect, it } from 'vitest';
import { ignoreFilterMatcher, readObsidianSettings } from './obsidian-settings.ts';

describe('readObsidianSettings', () => {
  it('has the defaults of a vault without settings', () => {
    expect(readObsidianSettings({})).toEqual({
      links: { format: 'shortest', markdown: false, updateOnRename: undefined },
      newNotes: { location: 'root', folder: '' },
      attachmentFolder: '',
      trash: undefined,
      ignoreFilters: [],
      dailyNotes: { folder: '', format: 'YYYY-MM-DD', template: '' },
      uniqueNotes: { folder: '', format: 'YYYYMMDDHHmm', template: '' },
      templates: { folder: '', dateFormat: 'YYYY-MM-DD', timeFormat: 'HH:mm' },
      propertyTypes: new Map(),
      warnings: [],
    });
  });

  it('reads what is there', () => {
    const settings = readObsidianSettings({
      app: '\ufeff{"newLinkFormat":"relative","useMarkdownLinks":true,"alwaysUpdateLinks":false,"newFileLocation":"folder","newFileFolderPath":"/Inbox/","attachmentFolderPath":"./files","trashOption":"local","userIgnoreFilters":["Archive/","/\\\\.draft\\\\.md$/"]}',
      dailyNotes: '{"folder":"\\\\Journal","format":"YYYY/MM-DD","template":"Templates/Daily"}',
      templates: '{"folder":"Templates","date_format":"DD.MM.YYYY"}',
      types: '{"types":{"Due":"date","tags":"tags","bad":3}}',
    });
    expect(settings).toMatchObject({
      links: { format: 'relative', markdown: true, updateOnRename: false },
      newNotes: { location: 'folder', folder: 'Inbox' },
      attachmentFolder: './files',
      trash: 'local',
      ignoreFilters: ['Archive/', '/\\.draft\\.md$/'],
      dailyNotes: { folder: 'Journal', format: 'YYYY/MM-DD', template: 'Templates/Daily' },
      templates: { folder: 'Templates', dateFormat: 'DD.MM.YYYY', timeFormat: 'HH:mm' },
      warnings: [],
    });
    expect([...settings.propertyTypes]).toEqual([
      ['due', 'date'],
      ['tags', 'tags'],
    ]);
  });

  it.each([
    ['/', ''],
    ['./', './'],
    ['Files/', 'Files'],
    ['./sub', './sub'],
  ])('attachment folder %j is %j', (written, folder) => {
    expect(
      readObsidianSettings({ app: JSON.stringify({ attachmentFolderPath: written }) }).attachmentFolder,
    ).toBe(folder);
  });

  it('falls back and says so for what cannot be used', () => {
    const settings = readObsidianSettings({
      app: '{"newLinkFormat":"longest","useMarkdownLinks":"yes","userIgnoreFilters":null}',
      dailyNotes: '{broken',
      templates: '[]',
      types: '{"types":[]}',
    });
    expect(settings).toMatchObject({ links: { format: 'shortest', markdown: false }, ignoreFilters: [] });
    expect(settings.warnings).toEqual([
      '.obsidian/daily-notes.json is not a JSON object; its defaults are used.',
      '.obsidian/templates.json is not a JSON object; its defaults are used.',
      '.obsidian/app.json: "newLinkFormat" is not one of shortest, relative, absolute; its default is used.',
      '.obsidian/app.json: "useMarkdownLinks" is not true or false; its default is used.',
      '.obsidian/types.json: "types" is not a map; its default is used.',
    ]);
  });
});

describe('ignoreFilterMatcher', () => {
  it('takes a filter for the start of a path, or for a regex between slashes', () => {
    const { test, warnings } = ignoreFilterMatcher(['Archive/', '/\\.draft\\.md$/', 'Café']);
    expect(['Archive/x.md', 'archive/x.md', 'a/b.DRAFT.md', 'Cafe\u0301/x.md'].map(test)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['Archives.md', 'x/Archive/y.md', 'a.draft.md.txt'].map(test)).toEqual([false, false, false]);
    expect(warnings).toEqual([]);
  });

  it('says which filter it cannot use', () => {
    const { test, warnings } = ignoreFilterMatcher(['/(?=look)/', '/(/', '/', '']);
    expect(test('look.md')).toBe(false);
    expect(warnings).toHaveLength(2);
  });

  it('answers at once whatever the regex', () => {
    const started = performance.now();
    const { test } = ignoreFilterMatcher(['/(a+)+$/', '/(.*)*x/']);
    test(`${'a'.repeat(5000)}!`);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
