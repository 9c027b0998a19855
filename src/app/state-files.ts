/** Files in the state folder of a server's first vault, which are for all of them. */
export const AUTH_FILE = 'auth.db';
export const OAUTH_FILE = 'oauth.db';
export const AUDIT_FILE = 'audit.log';
export const AI_SPEND_FILE = 'ai-spend.db';
export const AI_CACHE_FILE = 'ai-cache.db';
