import { ACCESS } from './access'
import { ACTIVITY } from './activity'
import { LOGINS } from './logins'
import { MONEY } from './money'
import type { Mutation } from './mutation'
import { OBJECTS } from './objects'
import { OUTSIDE } from './outside'
import { OWNERS } from './owners'

/** Faults in the rules that the README, SECURITY.md and the documents promise. */
export const MUTATIONS: readonly Mutation[] = [
  ...OWNERS,
  ...OBJECTS,
  ...LOGINS,
  ...MONEY,
  ...ACCESS,
  ...OUTSIDE,
  ...ACTIVITY,
]
