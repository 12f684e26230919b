import type { Deps } from '../deps'
import type { Caller } from './caller'
import type { Later } from './route'

/** Beside what every route refuses, for the OpenAPI document: whoever has no UMA keys speaks to no other VASP. */
export const SPEAKS_TO_NOBODY = 'The address is of another VASP, and this one has no UMA keys to speak to it with'

/**
 * Work that may wait for another VASP. It has turns of its own, so many a person, so that a VASP that is slow keeps nothing
 * else of the person waiting, and nobody else.
 */
export function abroad<Reply>(
  { deps, caller }: { readonly deps: Pick<Deps, 'limits'>; readonly caller: Pick<Caller, 'username'> },
  work: () => Promise<Reply>,
): Later<Reply> {
  return { whenDone: () => deps.limits.abroad(caller.username, work) }
}
