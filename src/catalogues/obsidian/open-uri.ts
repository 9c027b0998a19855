import type { ToolContext } from '../catalogue.ts';

/** The link that opens a note in Obsidian, wherever it is followed. */
export async function obsidianUri(path: string, { vault }: ToolContext, inNewTab?: boolean): Promise<string> {
  const { name } = await (await vault()).status();
  const file = path.replace(/\.md$/i, '');
  const tab = inNewTab === true ? '&paneType=tab' : '';
  return `obsidian://open?vault=${encodeURIComponent(name)}&file=${encodeURIComponent(file)}${tab}`;
}
