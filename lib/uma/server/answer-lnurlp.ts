import {
  Currency,
  getLnurlpResponse,
  getMajorVersion,
  isLnurlpRequestForUma,
  KycStatus,
  parseLnurlpRequest,
  verifyUmaLnurlpQuerySignature,
  type LnurlpRequest,
} from '@uma-sdk/core'
import { addressOf } from 'uma-auth-vasp'
import { toWireInteger } from '../../money/convert'
import { MAX_PAYMENT_MSATS } from '../../money/limits'
import { umaFault } from '../fault'
import { currenciesOf, minReceivableMsats, walletOfPlain } from '../find-payable-user'
import { NO_NONCES, verifySignature } from '../keys/verify-message'
import { MAX_COMMENT_LENGTH } from '../messages/comment'
import { isOtherVasp } from '../messages/domains'
import { metadataOf } from '../messages/metadata'
import { fromSdk } from '../messages/sdk-errors'
import type { Nonce } from '../nonces'
import type { Found, PayableUser } from '../payable-user'
import { payAddressFor, plainPayAddress } from './pay-address'
import type { Call, ServerPorts } from './types'

/** The payer data that this VASP asks for. */
const PAYER_DATA = {
  identifier: { mandatory: true },
  compliance: { mandatory: true },
  name: { mandatory: false },
  email: { mandatory: false },
}
/** Stands in for a missing user, so that the time of a lookup does not reveal whether a user exists. */
const NO_USER: PayableUser = { username: '', displayName: '', wallets: [{ walletId: 0n, code: 'SAT' }] }

/**
 * `GET /.well-known/lnurlp/{username}`: the receiver with its currencies and limits (UMAD-04), signed when the request
 * was; or the plain answer of LUD-16 to a request without the protocol's parameters.
 */
export async function answerLnurlp(ports: ServerPorts, { url, rest }: Call): Promise<unknown> {
  const query = readQuery(ports, url, rest)
  const isUma = isLnurlpRequestForUma(query)
  const username = usernameOf(rest)
  const nonce = isUma ? await verifyQuery(ports, query, url) : undefined
  const found = await ports.findRecipient(ports.db, username, nonce)
  const answer = await describe(ports, query, typeof found === 'string' ? NO_USER : found, { username, isUma })
  refuseMissing(found)
  return answer
}

/**
 * @throws UmaFault for a user that does not exist, accepts no payments now, or can be paid by users of this VASP only.
 */
export function refuseMissing(found: Found): asserts found is PayableUser {
  if (found === 'unknown') throw umaFault('USER_NOT_FOUND', 'There is no user with this address.')
  if (found === 'suspended') throw umaFault('USER_NOT_READY', 'This user accepts no payments right now.')
  if (found.node !== undefined) throw umaFault('USER_NOT_READY', 'Only users of this VASP can pay this user.')
}

/** The username in lower case, without the dollar sign: all these spellings name the same user. */
export function usernameOf(segment: string): string {
  return segment.toLowerCase().replace(/^\$/, '')
}

const PARAMETERS = ['signature', 'vaspDomain', 'nonce', 'timestamp', 'umaVersion', 'isSubjectToTravelRule']

/** Reads the query with the address as it was signed: in the sender's spelling, at our own domain. */
function readQuery({ settings }: ServerPorts, url: URL, segment: string): LnurlpRequest {
  if (PARAMETERS.some((name) => url.searchParams.getAll(name).length > 1) || !/^\$?[\w.+-]{1,63}$/.test(segment))
    throw umaFault('PARSE_LNURLP_REQUEST_ERROR', 'The lookup is not valid.')
  const canonical = new URL(`${settings.publicOrigin}/.well-known/lnurlp/${segment}`)
  // Backing signatures are ignored.
  for (const name of PARAMETERS) {
    const value = url.searchParams.get(name)
    if (value === '') throw umaFault('MISSING_REQUIRED_UMA_PARAMETERS', `The parameter ${name} is empty.`)
    if (value !== null) canonical.searchParams.set(name, value)
  }
  const version = url.searchParams.get('umaVersion')
  // The SDK reads `1.x` as 1.
  if (version !== null && !/^\d{1,3}\.\d{1,3}$/.test(version))
    throw umaFault('INVALID_INPUT', 'The umaVersion is not written as two numbers, like 1.0.')
  return fromSdk('PARSE_LNURLP_REQUEST_ERROR', 'The lookup is not valid.', () => parseLnurlpRequest(canonical))
}

type UmaQuery = Extract<Parameters<typeof verifyUmaLnurlpQuerySignature>[0], LnurlpRequest>

async function verifyQuery(ports: ServerPorts, query: UmaQuery, url: URL): Promise<Nonce> {
  const domain = query.vaspDomain ?? ''
  const timestamp = url.searchParams.get('timestamp') ?? ''
  refuseUnknownDomain(ports, domain)
  return verifySignature(ports, {
    domain,
    nonce: query.nonce ?? '',
    timestampSeconds: /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN,
    direction: 'incoming',
    holds: (keys) => verifyUmaLnurlpQuerySignature(query, keys, NO_NONCES),
  })
}

/** @throws UmaFault for a sender whose domain is not allowed. */
export function refuseUnknownDomain({ settings }: Pick<ServerPorts, 'settings'>, domain: string): void {
  if (!isOtherVasp(settings, domain))
    throw umaFault('COUNTERPARTY_NOT_ALLOWED', 'This VASP does not accept messages from that domain.')
}

async function describe(
  { settings, uma, rates }: ServerPorts,
  query: LnurlpRequest,
  user: PayableUser,
  { username, isUma }: { readonly username: string; readonly isUma: boolean },
): Promise<unknown> {
  const { wallets } = user
  const major = query.umaVersion === undefined ? 1 : getMajorVersion(query.umaVersion)
  const offers = currenciesOf(wallets, settings.receiveFeeBps, rates.rateOf).map(
    ({ code, name, symbol, msatsPerUnit, min, max, decimals }) =>
      new Currency(code, name, symbol, msatsPerUnit, toWireInteger(min), toWireInteger(max), decimals, major),
  )
  const address = addressOf(username, settings.vaspDomain)
  const response = await getLnurlpResponse({
    request: query,
    callback: isUma
      ? payAddressFor({ settings, keys: uma.keys }, username, query.vaspDomain ?? '')
      : plainPayAddress(settings, username),
    encodedMetadata: metadataOf(user, isUma ? address : address.slice(1)),
    // The SDK rounds these to whole satoshis, so they are set again below.
    minSendableSats: 0,
    maxSendableSats: 0,
    commentCharsAllowed: MAX_COMMENT_LENGTH,
    ...(isUma
      ? {
          privateKeyBytes: uma.keys.signing.secret,
          requiresTravelRuleInfo: true,
          payerDataOptions: { ...PAYER_DATA },
          currencyOptions: offers,
          receiverKycStatus: KycStatus.Verified,
        }
      : {}),
  })
  return {
    ...response.toJsonSchemaObject(),
    minSendable: toWireInteger(
      minReceivableMsats(isUma ? wallets : [walletOfPlain(user)], settings.receiveFeeBps, rates.rateOf),
    ),
    maxSendable: toWireInteger(MAX_PAYMENT_MSATS),
  }
}
