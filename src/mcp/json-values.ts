/** Limit of values in one message: ten times that for the arguments of a call. */
export const MESSAGE_VALUES = 200_000;

const QUOTE = '"';
/** Texts up to this length are parsed within a few milliseconds whatever they contain. */
const SHORT = 1_000_000;

/**
 * Whether a JSON text contains more values than a message may: parsing them would take seconds, and many
 * times the memory of the text. Stops at the first value above the limit and skips strings.
 */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= SHORT) return false;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === COMMA || char === LIST || char === MAP || char === COLON) {
      values += 1;
      if (values > MESSAGE_VALUES) return true;
    } else if (char === STRING) {
      at = endOfString(text, at);
    }
  }
  return false;
}

const ID = String.raw`"id"\s*:\s*(-?\d{1,16}|"[^"\\]{0,200}")`;
const FIRST_ID = new RegExp(
  String.raw`^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*){0,2}${ID}\s*,`,
);
const LAST_ID = new RegExp(String.raw`(?:\}|"2\.0")\s*,\s*${ID}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);
/** Characters at either end of a message that are searched for its id. */
const ENDS = 1000;

/** The id of a message that is not parsed; clients write it before or after the parameters. */
export function idOf(text: string): unknown {
  const found = FIRST_ID.exec(text.slice(0, ENDS))?.[1] ?? LAST_ID.exec(text.slice(-ENDS))?.[1];
  return found === undefined ? null : JSON.parse(found);
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf(QUOTE, start + 1); at !== -1; at = text.indexOf(QUOTE, at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === ESCAPE) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

const [COMMA, LIST, MAP, COLON, STRING, ESCAPE] = [0x2c, 0x5b, 0x7b, 0x3a, 0x22, 0x5c];
