/** No way out of the vault, nothing hidden, nothing that means something in a pattern. */
const PLACE = /^(?![./])(?!.*(?:\/\.|\/\/|\/$))[^\p{Cc}\\{}]{1,200}$/u;

/** Whether a text can be a folder of a vault, or the form of a name in it: `Daily`, `Notes/Log`, `YYYY/MM-DD`. */
export function isVaultPlace(text: string): boolean {
  return PLACE.test(text);
}
