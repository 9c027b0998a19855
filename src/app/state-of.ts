import { vaultStateFolder } from '../config/state-folder.ts';
import { placeIdentity, type StorePlace } from '../config/store-place.ts';

/**
 * The state folder of the vault at a place, created when missing.
 * @param base overrides the platform's place
 * @throws LecternError `unavailable` when it cannot be created
 */
export async function stateFolderOf(place: StorePlace, base: string | undefined): Promise<string> {
  return vaultStateFolder(placeIdentity(place), base, process.env);
}
