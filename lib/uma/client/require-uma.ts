import { VaspError } from '../../platform/errors'
import type { Uma, UmaPorts } from '../types'

/** @throws VaspError 501 when this VASP has no UMA keys. */
export function requireUma({ uma }: Pick<UmaPorts, 'uma'>): Uma {
  if (uma === undefined)
    throw new VaspError(
      501,
      'NOT_IMPLEMENTED',
      'This VASP does not connect to other VASPs: its operator has not set the UMA keys.',
    )
  return uma
}
