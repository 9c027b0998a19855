/** Excludes paths out of the vault, hidden names, and characters with a meaning in patterns. */
const PLACE = /^(?![./])(?!.*(?:\/\.|\/\/|\/$))[^\p{Cc}\\{}]{1,200}$/u;

/** Whether a text can be a folder of a vault, or a name pattern in it: `Daily`, `Notes/Log`, `YYYY/MM-DD`. */
export function isVaultPlace(text: string): boolean {
  return PLACE.test(text);
}
