/** Files in a vault's state folder that belong to the HTTP door. */
export const AUTH_FILE = 'auth.db';
export const OAUTH_FILE = 'oauth.db';
export const AUDIT_FILE = 'audit.log';
