import { createECDH, createHash, createPrivateKey, randomInt, sign, type KeyObject } from 'node:crypto'
import { newNodeSecret } from '../vasp/keys'

/**
 * A sender that shares no code with the code under test: written from the protocol's documents, with node:crypto only.
 * It signs strings of fields joined by `|` with ECDSA over SHA-256, DER, hex.
 */
export interface SecondSender {
  readonly domain: string
  readonly keys: SenderKeys
  /** The query of a signed lookup (UMAD-03). Fields may be replaced or left out. */
  lookUpQuery(receiver: string, version: string, over?: Record<string, string | undefined>): string
  /** A pay request of version 1 (UMAD-05). */
  payRequest(payer: string, fields: Record<string, unknown>, compliance?: Record<string, unknown>): PayBody
  /** A pay request of version 0: another field name for the currency, and the amount as a number of its units. */
  oldPayRequest(payer: string, amount: number, currency: string): PayBody
  callback(over?: Record<string, unknown>): Record<string, unknown>
  sign(text: string): string
  /** Signature, nonce and time over these fields. */
  signed(...fields: readonly string[]): Record<string, unknown>
}

export type PayBody = Record<string, unknown> & { payerData: { compliance: Record<string, unknown> } }

export interface SenderKeys {
  readonly secretHex: string
  /** 65 bytes, hex. */
  readonly publicHex: string
  readonly key: KeyObject
}

export function newSenderKeys(secretHex = newNodeSecret()): SenderKeys {
  const ecdh = createECDH('secp256k1')
  ecdh.setPrivateKey(secretHex, 'hex')
  const point = ecdh.getPublicKey()
  const jwk = {
    kty: 'EC',
    crv: 'secp256k1',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
    d: Buffer.from(secretHex, 'hex').toString('base64url'),
  }
  return { secretHex, publicHex: point.toString('hex'), key: createPrivateKey({ key: jwk, format: 'jwk' }) }
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000)
export const newNonce = (): string => String(randomInt(2 ** 32))
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export function makeSecondSender(domain: string, keys = newSenderKeys()): SecondSender {
  const signText = (text: string): string => sign('sha256', Buffer.from(text), keys.key).toString('hex')
  const signed = (...fields: readonly string[]): Record<string, unknown> => {
    const [nonce, timestamp] = [newNonce(), nowSeconds()]
    return {
      signature: signText([...fields, nonce, String(timestamp)].join('|')),
      signatureNonce: nonce,
      signatureTimestamp: timestamp,
    }
  }
  const payerData = (payer: string, more: Record<string, unknown> = {}) => ({
    identifier: payer,
    compliance: { kycStatus: 'VERIFIED', utxos: [], ...signed(payer), ...more },
  })
  return {
    domain,
    keys,
    sign: signText,
    signed,
    lookUpQuery(receiver, version, over = {}) {
      const [nonce, timestamp] = [over.nonce ?? newNonce(), over.timestamp ?? String(nowSeconds())]
      const fields: Record<string, string | undefined> = {
        signature: signText([receiver, nonce, timestamp].join('|')),
        vaspDomain: domain,
        nonce,
        isSubjectToTravelRule: 'true',
        timestamp,
        umaVersion: version,
        ...over,
      }
      const given = Object.entries(fields).filter((each): each is [string, string] => each[1] !== undefined)
      return new URLSearchParams(given).toString()
    },
    payRequest: (payer, fields, compliance = {}) => ({
      payerData: payerData(payer, compliance),
      payeeData: { compliance: { mandatory: true }, identifier: { mandatory: true } },
      ...fields,
    }),
    oldPayRequest: (payer, amount, currency) => ({ payerData: payerData(payer), amount, currency }),
    callback: (over = {}) => ({
      utxos: [{ utxo: 'ab:0', amountMsats: 1_000 }],
      vaspDomain: domain,
      ...signed(),
      ...over,
    }),
  }
}
