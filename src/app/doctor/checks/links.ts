import { type Check, counted, type Finding, ok, problem } from '../check.ts';
import { eachFolder } from './each-folder.ts';

/** Checks symbolic links in a vault: files outside the vault are not served. */
export const links: Check = {
  name: 'links',
  run: (context) =>
    eachFolder(context, ({ name }, { links: found }) => {
      const of = (leads: 'outside' | 'nowhere') =>
        found.filter((link) => link.leads === leads).map(({ path }) => path);
      const [outside, nowhere] = [of('outside'), of('nowhere')];
      const findings: Finding[] = [];
      if (outside.length > 0)
        findings.push(
          problem(
            'links.outside',
            `Vault ${name}: ${counted(outside.length, 'link')} leads out of the vault, where nothing is served.`,
            'Move what it leads to into the vault, or serve that folder as a vault of its own.',
            { names: outside },
          ),
        );
      if (nowhere.length > 0)
        findings.push(
          problem(
            'links.nowhere',
            `Vault ${name}: ${counted(nowhere.length, 'link')} leads nowhere.`,
            'Connect the drive it leads to, or delete the link.',
            { names: nowhere },
          ),
        );
      return findings.length > 0 ? findings : [ok('links.good', `Vault ${name}: no link leads out of it.`)];
    }),
};
