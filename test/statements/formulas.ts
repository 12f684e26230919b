/** Filled by the code that the test adds to the bundled files. */
export const formulas = new Map<string, (...values: readonly unknown[]) => unknown>()
