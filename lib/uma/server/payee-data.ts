import { umaFault } from '../fault'

/** The protocol's names for user data (UMAD-05), and those that the SDKs add. */
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
  'countryCode',
  'accountNumber',
])

/**
 * The payee data of an answer: always the identifier, because the signature covers it, and no other field that was not
 * requested. @throws UmaFault for a mandatory field that this VASP does not have.
 */
export function payeeDataFor(
  requested: Readonly<Record<string, { readonly mandatory: boolean }>>,
  user: { readonly identifier: string; readonly name: string },
): Record<string, string> {
  for (const [key, { mandatory }] of Object.entries(requested)) {
    if (!mandatory || key in user || key === 'compliance') continue
    if (KNOWN.has(key))
      throw umaFault('MISSING_MANDATORY_PAYEE_DATA', `This VASP does not know the ${key} of this user.`)
    throw umaFault(
      'UNRECOGNIZED_MANDATORY_PAYEE_DATA_KEY',
      'The request asks for a detail of this user that this VASP does not have.',
    )
  }
  return { identifier: user.identifier, ...('name' in requested ? { name: user.name } : {}) }
}
