import type { Mutation } from './mutation'
import { OWNERS } from './owners'

/** Faults in the rules that the README, SECURITY.md and the documents promise. */
export const MUTATIONS: readonly Mutation[] = [...OWNERS]
