import { describeStoreContract } from '../store-contract.ts';
import { folderHarness } from './folder-harness.ts';

describeStoreContract('The folder store', folderHarness);
