import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { MIN_PASSPHRASE } from '../../config/oauth-settings.ts';
import { LecternError } from '../../errors.ts';
import { Attempts } from '../attempts.ts';
import type { OAuthDatabase } from './oauth-database.ts';

const derive = promisify(
  (secret: string, salt: Buffer, length: number, done: (error: Error | null, key: Buffer) => void) =>
    scrypt(secret, salt, length, COST, done),
);

/** 32 MiB of memory and about 100 ms per attempt (RFC 7914). */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const SETTING = 'passphrase';
const SETUP_MS = 60 * 60_000;

/** Limits of wrong passphrases in five minutes: per address, and in total. */
const LIMITS = { windowMs: 5 * 60_000, perAddress: 5, inAll: 50 };

/** The owner of the notes, authenticated by a passphrase. */
export class Owner {
  readonly #database: OAuthDatabase;
  readonly #now: () => number;
  readonly #byAddress: Attempts;
  readonly #inAll: Attempts;
  /** Hash of the passphrase in the settings: when set, only that passphrase is valid. */
  readonly #given: Buffer | undefined;
  #setup: { hash: Buffer; until: number } | undefined;

  /** @param passphrase from the settings; without one the owner sets it in a browser */
  constructor(database: OAuthDatabase, now: () => number = Date.now, passphrase?: string) {
    this.#database = database;
    this.#given = passphrase === undefined ? undefined : sha256(passphrase.normalize('NFC'));
    this.#now = now;
    this.#byAddress = new Attempts(LIMITS.perAddress, LIMITS.windowMs, now);
    this.#inAll = new Attempts(LIMITS.inAll, LIMITS.windowMs, now);
  }

  get hasPassphrase(): boolean {
    return this.#given !== undefined || this.#database.setting(SETTING) !== undefined;
  }

  /** A code that allows its holder to set the passphrase: once, within an hour. */
  newSetupCode(): string {
    const code = randomBytes(24).toString('base64url');
    this.#setup = { hash: sha256(code), until: this.#now() + SETUP_MS };
    return code;
  }

  isSetupCode(code: string): boolean {
    const setup = this.#setup;
    return setup !== undefined && setup.until > this.#now() && timingSafeEqual(setup.hash, sha256(code));
  }

  /**
   * @throws LecternError `forbidden` for a wrong, expired or used code, `invalid_input` for a passphrase that
   *   is too short
   */
  async setPassphrase(code: string, passphrase: string): Promise<void> {
    if (!this.isSetupCode(code)) {
      throw new LecternError('forbidden', 'This link is wrong, too old, or was used before.', {
        next: 'Start the server again for a new one.',
      });
    }
    if (passphrase.length < MIN_PASSPHRASE || passphrase.length > 1000) {
      throw new LecternError('invalid_input', `A passphrase has at least ${MIN_PASSPHRASE} characters.`, {
        next: 'Take a sentence.',
      });
    }
    this.#setup = undefined;
    const salt = randomBytes(16);
    const key = await derive(passphrase.normalize('NFC'), salt, 32);
    this.#database.set(SETTING, `${salt.toString('base64')}:${key.toString('base64')}`);
  }

  /** @returns `wait` after too many wrong attempts, from this address or in total */
  async check(passphrase: string, address: string): Promise<'good' | 'wrong' | 'wait'> {
    if (!this.#byAddress.take(address) || !this.#inAll.take('')) return 'wait';
    if (!(await this.#is(passphrase))) return 'wrong';
    this.#byAddress.forget(address);
    this.#inAll.giveBack('');
    return 'good';
  }

  async #is(passphrase: string): Promise<boolean> {
    if (passphrase.length > 1000) return false;
    const text = passphrase.normalize('NFC');
    if (this.#given !== undefined) return timingSafeEqual(this.#given, sha256(text));
    const [salt, key] = (this.#database.setting(SETTING) ?? '')
      .split(':')
      .map((part) => Buffer.from(part, 'base64'));
    if (salt === undefined || key?.length !== 32) return false;
    return timingSafeEqual(key, await derive(text, salt, 32));
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
