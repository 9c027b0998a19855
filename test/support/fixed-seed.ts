import fc from 'fast-check';

/**
 * Property tests draw the same inputs in every run, so that what is red was made red by the change at
 * hand. Other inputs: `LECTERN_TEST_SEED=<number>`, or the long campaigns, which draw many more.
 */
fc.configureGlobal({ seed: Number(process.env.LECTERN_TEST_SEED ?? 20261128) });
