import { readFileSync } from 'node:fs';

/** What a write-ahead log holds, by the checksums in it. */
export interface WalReading {
  /** Transactions that SQLite finds when it opens the database. */
  readonly commits: number;
  /** Transactions behind the first frame that is not as it was written: SQLite leaves them out without a word. */
  readonly lost: number;
}

const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;

/**
 * Reads a write-ahead log as SQLite's recovery does (its file format, section 4), and goes on behind a frame that is
 * damaged. The frames of an earlier round, which lie behind the last one that counts, have other salts.
 *
 * @param path of the log; a missing or an empty one holds nothing
 */
export function readWal(path: string): WalReading {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return { commits: 0, lost: 0 };
  }
  if (bytes.length < HEADER) return { commits: 0, lost: 0 };
  const magic = bytes.readUInt32BE(0);
  const pageSize = bytes.readUInt32BE(8);
  const frame = FRAME_HEADER + pageSize;
  const isSound = (magic & ~1) === MAGIC && pageSize >= 512 && pageSize <= 65_536;
  // Without a header nobody knows how much there was.
  if (!isSound) return { commits: 0, lost: bytes.length > HEADER ? 1 : 0 };
  const sum = new Checksum(bytes, (magic & 1) === 1);
  sum.add(0, 24);
  if (!sum.isAt(24)) return { commits: 0, lost: bytes.length > HEADER ? 1 : 0 };
  let commits = 0;
  let lost = 0;
  let isTorn = false;
  for (let at = HEADER; at + frame <= bytes.length; at += frame) {
    if (bytes.compare(bytes, 16, 24, at + 8, at + 16) !== 0) {
      if (isTorn) continue;
      // The end of the log, or a frame whose own header is damaged: what comes behind it tells.
      isTorn = true;
      continue;
    }
    const endsTransaction = bytes.readUInt32BE(at + 4) !== 0;
    if (!isTorn) {
      sum.add(at, 8);
      sum.add(at + FRAME_HEADER, pageSize);
      isTorn = !sum.isAt(at + 16);
    }
    if (endsTransaction) isTorn ? lost++ : commits++;
  }
  return { commits, lost };
}

/** The running checksum of a log: two sums over words, each of which takes in the other. */
class Checksum {
  readonly #bytes: Buffer;
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(bytes: Buffer, isBigEndian: boolean) {
    this.#bytes = bytes;
    this.#isBigEndian = isBigEndian;
  }

  add(from: number, length: number): void {
    const word = (at: number) =>
      this.#isBigEndian ? this.#bytes.readUInt32BE(at) : this.#bytes.readUInt32LE(at);
    for (let at = from; at < from + length; at += 8) {
      this.#first = (this.#first + word(at) + this.#second) >>> 0;
      this.#second = (this.#second + word(at + 4) + this.#first) >>> 0;
    }
  }

  /** Whether the sums so far are those that stand there. */
  isAt(at: number): boolean {
    return this.#bytes.readUInt32BE(at) === this.#first && this.#bytes.readUInt32BE(at + 4) === this.#second;
  }
}
