import { X509Certificate } from 'node:crypto'
import { epochSeconds, type Clock } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import type { Certificates, UmaKey, UmaKeys } from '../types'
import { selfSigned, YEARS_VALID } from './certificates'

/**
 * How long other VASPs may cache this VASP's keys: after a key change, every VASP has the new keys within this time.
 */
export const KEYS_LIVE_SECONDS = 300

/** Replaces a stored certificate only if it is for another key or in its last year. */
const KEEP = statement(
  'keep_uma_certificate',
  `insert into uma_certificates as kept (purpose, public_key, chain_pem) values ($1, $2, $3)
         on conflict (purpose) do update
         set public_key = excluded.public_key, chain_pem = excluded.chain_pem, created_at = now()
         where kept.public_key <> excluded.public_key
            or kept.created_at < now() - interval '${YEARS_VALID - 1} years'`,
)

const CHAIN = statement<{ readonly chain_pem: string }>(
  'uma_certificate',
  'select chain_pem from uma_certificates where purpose = $1',
)

/** Creates missing certificates and returns those that every instance publishes. */
export async function openCertificates(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  keys: UmaKeys,
  vaspDomain: string,
): Promise<Certificates> {
  const open = async (purpose: string, key: UmaKey): Promise<string[]> => {
    await db.query(KEEP, [purpose, key.publicKeyHex, selfSigned(key, vaspDomain, clock.now())])
    const [row] = await db.query(CHAIN, [purpose])
    const chain = row?.chain_pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    return chain.map((pem) => new X509Certificate(pem).raw.toString('hex'))
  }
  return { signing: await open('signing', keys.signing), encryption: await open('encryption', keys.encryption) }
}

/**
 * `/.well-known/lnurlpubkey` (UMAD-02): chains for readers of certificates, raw keys for version 0. Built here, because
 * the SDK publishes the signing chain for both keys.
 */
export function keyDocument(keys: UmaKeys, certificates: Certificates, now: Date): Record<string, unknown> {
  return {
    signingCertChain: certificates.signing,
    encryptionCertChain: certificates.encryption,
    signingPubKey: keys.signing.publicKeyHex,
    encryptionPubKey: keys.encryption.publicKeyHex,
    expirationTimestamp: epochSeconds(now) + KEYS_LIVE_SECONDS,
  }
}
