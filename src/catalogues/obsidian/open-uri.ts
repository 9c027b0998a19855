import type { ToolContext } from '../catalogue.ts';

/** The URI that opens a note in Obsidian. */
export async function obsidianUri(path: string, { vault }: ToolContext, inNewTab?: boolean): Promise<string> {
  const { name } = await (await vault()).status();
  const file = path.replace(/\.md$/i, '');
  const tab = inNewTab === true ? '&paneType=tab' : '';
  return `obsidian://open?vault=${encodeURIComponent(name)}&file=${encodeURIComponent(file)}${tab}`;
}
