import * as z from 'zod';
import { LOG_LEVELS } from '../log.ts';
import { isVaultPlace } from '../vault-place.ts';

/**
 * What names a vault: a word that is no path, so that `--vault work` can mean the vault of that name. Digits
 * alone would come before all others, wherever they stand in the file.
 */
const VAULT_NAME = /^(?!\d+$)[\p{L}\p{N}][\p{L}\p{N}_-]{0,39}$/u;

const text = z.string().trim().min(1);
const texts = z.array(text);
const whole = (min: number, max: number) => z.int().min(min).max(max);

const vaultPlace = text.refine(isVaultPlace, 'not a place in a vault');

const nameRule = z.strictObject({
  allow: texts.optional().describe('Only these; empty = everything.'),
  deny: texts.optional().describe('All but these; wins over allow.'),
});

const pathRules = z.strictObject({
  read: nameRule.optional().describe('What can be seen at all.'),
  write: nameRule.optional().describe('What of it can be changed.'),
});

/** Never the secret itself: the file may be backed up, shared or shown on a screen. */
const secret = z
  .union([
    z.strictObject({ env: text.describe('Environment variable that holds it.') }),
    z.strictObject({ file: text.describe('File whose first line it is.') }),
  ])
  .describe('Where the secret is: { env: NAME } or { file: path }.');

const vault = z.strictObject({
  path: text.describe('The folder the notes are in.'),
  read_only: z.boolean().optional(),
  paths: pathRules.optional().describe('Deny lists add to the general ones, allow lists replace them.'),
});

/**
 * The configuration file. Folders and files in it are relative to the file itself, `~` is the home
 * folder. There is no setting that opens the HTTP door to everybody: that takes a flag.
 */
export const configSchema = z.strictObject({
  vaults: z
    .record(z.string().regex(VAULT_NAME), z.union([text, vault]))
    .optional()
    .describe('The vaults by name: a folder, or a folder with rules of its own.'),
  read_only: z.boolean().optional().describe('Refuse every write.'),
  paths: pathRules.optional().describe('Globs of vault paths, for every vault.'),
  tools: nameRule.optional().describe('Tool names or patterns such as link_*.'),
  prompts: z
    .strictObject({
      folder: vaultPlace.optional().describe('Folder whose notes are prompts, e.g. Prompts.'),
    })
    .optional(),
  daily_notes: z
    .strictObject({
      folder: vaultPlace.optional().describe('Folder of the daily notes, e.g. Daily.'),
      format: vaultPlace.optional().describe('Their names, e.g. YYYY-MM-DD or YYYY/MM/YYYY-MM-DD.'),
    })
    .optional()
    .describe('For vaults whose own program was not told.'),
  history: z
    .strictObject({
      days: whole(1, 36_500).optional().describe('Days that a write can be undone.'),
      megabytes: whole(1, 1_048_576).optional().describe('MiB of replaced text that are kept for undo.'),
    })
    .optional()
    .describe('How far undo reaches back; what lies beyond either limit is forgotten.'),
  log_level: z.enum(LOG_LEVELS).optional().describe('What is told on standard error.'),
  state: text.optional().describe('Folder for indexes and journals.'),
  embedder: text
    .optional()
    .describe('local, ollama:<model>[@url], openai:<model>[@url] or model:<name or folder>.'),
  embedder_key: secret.optional(),
  http: z
    .strictObject({
      host: text.optional().describe('Where to listen.'),
      port: whole(0, 65_535).optional().describe('A whole number up to 65535; 0 = any that is free.'),
      public_url: text.optional().describe('Where clients reach the server.'),
      allow_hosts: texts.optional().describe('More names this server goes by.'),
      allow_origins: texts.optional().describe('Web pages that may call it.'),
      trust_proxies: texts.optional().describe('Proxies whose X-Forwarded-For counts.'),
      tls_cert: text.optional().describe('Certificate chain, PEM.'),
      tls_key: text.optional().describe('Its private key, PEM.'),
      request_limit: whole(1, 3600).optional().describe('Seconds a call may take.'),
      body_limit: whole(1, 65_536).optional().describe('KiB a request may have.'),
      session_idle: whole(1, 1440).optional().describe('Minutes after which an unused session ends.'),
      oauth: z.boolean().optional().describe('Let programs ask the owner for access.'),
      oauth_client: text.optional().describe('A client known beforehand.'),
      oauth_client_secret: secret.optional(),
      oauth_redirects: texts.optional().describe('Where that client is answered.'),
      oauth_access_life: text.optional().describe('How long an access token works: 30m, 1h, 90d.'),
      oauth_refresh_life: text.optional().describe('How long a refresh token works, from its own issue.'),
      oauth_refresh_grace: whole(0, 300)
        .optional()
        .describe('Seconds in which a used refresh token may be shown again; 0 = never.'),
      rate_limit: whole(0, 1_000_000).optional().describe('Requests per minute and token; 0 = no limit.'),
    })
    .optional(),
});

export type ConfigValues = z.output<typeof configSchema>;
export type SecretReference = z.output<typeof secret>;

/** JSON Schema of the file, for editors. */
export function configJsonSchema(): object {
  return { title: 'lectern.yaml', ...z.toJSONSchema(configSchema, { io: 'input' }) };
}
