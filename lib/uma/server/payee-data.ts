import { umaFault } from '../messages/fault'

/** Words of the protocol for what may be told of a user. */
const KNOWN = new Set([
  'identifier',
  'name',
  'email',
  'compliance',
  'birthDate',
  'nationality',
  'countryOfResidence',
  'phoneNumber',
  'fiLegalEntityName',
])

/**
 * What is told of the user who is paid: the address always, because the signature names it, and nothing that was not
 * asked for. @throws UmaFault for something that the payer's VASP cannot do without and we cannot say.
 */
export function payeeDataFor(
  requested: Readonly<Record<string, { readonly mandatory: boolean }>>,
  user: { readonly identifier: string; readonly name: string },
): Record<string, string> {
  for (const [key, { mandatory }] of Object.entries(requested)) {
    if (!mandatory || key in user || key === 'compliance') continue
    if (KNOWN.has(key)) throw umaFault('MISSING_MANDATORY_PAYEE_DATA', `The ${key} of this user is not known here.`)
    throw umaFault('UNRECOGNIZED_MANDATORY_PAYEE_DATA_KEY', 'Something was asked of this user that is not known here.')
  }
  return { identifier: user.identifier, ...('name' in requested ? { name: user.name } : {}) }
}
