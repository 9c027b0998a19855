import { join } from 'node:path';
import type { Pacer } from '../../pacer.ts';
import { yieldTurn } from '../yield-turn.ts';
import { brokenModel } from './broken-model.ts';
import { readJson, readOptionalJson } from './read-json.ts';
import { textPieces } from './text-pieces.ts';

/** Texts to the numbers a model knows its tokens by. */
export interface ModelTokenizer {
  /** Stands for text that is not in the vocabulary; undefined when the model has none. */
  readonly unknown: number | undefined;
  /** One more than the largest token number. */
  readonly size: number;
  /** What the model wants before and after every text, such as [CLS] and [SEP]. */
  readonly prefix: readonly number[];
  readonly suffix: readonly number[];
  /**
   * The text's own tokens, the first `most` of them. Gives other work its turn between pieces.
   * @throws an `AbortError` when the pacer's signal aborted
   */
  encode(text: string, most: number, pacer: Pacer): Promise<number[]>;
}

/** With 250,000 tokens in many scripts the file has 17 MB. */
const MOST_TOKENIZER_BYTES = 128 * 1024 * 1024;

/**
 * Reads `tokenizer.json` (WordPiece, BPE or Unigram) and, where there is one, `tokenizer_config.json`.
 * Blocks for as long as the vocabulary takes to parse, up to seconds for the largest.
 * @throws LecternError `invalid_input`
 */
export async function openTokenizer(folder: string): Promise<ModelTokenizer> {
  const json = await readJson(join(folder, 'tokenizer.json'), MOST_TOKENIZER_BYTES);
  const config = (await readOptionalJson(join(folder, 'tokenizer_config.json'))) ?? {};
  const { Tokenizer } = await import('@huggingface/tokenizers');
  try {
    const tokenizer = new Tokenizer(json, config);
    const encode = (text: string, special: boolean) =>
      tokenizer.encode(text, { add_special_tokens: special }).ids;
    let size = 0;
    for (const id of tokenizer.get_vocab().values()) size = Math.max(size, id + 1);
    return {
      unknown: unknownToken(json, (token) => tokenizer.token_to_id(token)),
      size,
      ...specialTokens(encode('a', true), encode('a', false)),
      async encode(text, most, pacer) {
        const ids: number[] = [];
        for (const piece of textPieces(text)) {
          if (ids.length >= most) break;
          // A vocabulary of byte pairs without every byte gives nothing for what it lacks.
          for (const id of encode(piece, false)) if (id >= 0) ids.push(id);
          await yieldTurn(pacer);
        }
        return ids.slice(0, most);
      },
    };
  } catch (error) {
    throw brokenModel('tokenizer.json describes no tokenizer that can be used here.', error);
  }
}

/** What stands around a text's own tokens. */
function specialTokens(
  withSpecial: readonly number[],
  own: readonly number[],
): Pick<ModelTokenizer, 'prefix' | 'suffix'> {
  // Nothing in the vocabulary for the probe: what is added stands evenly around it, as [CLS] and [SEP] do.
  const half = Math.ceil(withSpecial.length / 2);
  if (own.length === 0) return { prefix: withSpecial.slice(0, half), suffix: withSpecial.slice(half) };
  for (let start = 0; start + own.length <= withSpecial.length; start += 1)
    if (own.every((id, at) => withSpecial[start + at] === id))
      return { prefix: withSpecial.slice(0, start), suffix: withSpecial.slice(start + own.length) };
  throw brokenModel('tokenizer.json changes texts in a way that is not supported.');
}

function unknownToken(json: unknown, idOf: (token: string) => number | undefined): number | undefined {
  const { model } = json as { model?: { unk_token?: unknown; unk_id?: unknown } };
  if (typeof model?.unk_id === 'number') return model.unk_id;
  return typeof model?.unk_token === 'string' ? idOf(model.unk_token) : undefined;
}
