import fc from 'fast-check'

/** The seed of every test run that names no other. */
export const FIXED_SEED = 1

/**
 * Every random choice that can change the result of a test follows from this number. Each vitest project loads this file
 * before its tests, so fast-check uses the seed too and prints it with each failure.
 */
export const SEED = Number(process.env.TEST_SEED ?? FIXED_SEED)

fc.configureGlobal({ seed: SEED })
