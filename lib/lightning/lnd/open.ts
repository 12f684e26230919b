import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openNodeAccounts } from '../../ledger/accounts'
import { SettingsError, type LndSettings, type Settings } from '../../platform/config'
import type { Log } from '../../platform/log'
import { startError } from '../../platform/start-error'
import type { Network, NodeIdentity } from '../node'
import type { NodeChoice } from '../opened-node'
import { requireOwnKey } from '../own-key'
import { makeLndClient, type LndAccess } from './client'
import { LndError, type Lnd, type LndInfo } from './lnd'
import { makeLndNode } from './node'
import { makeSends } from './sends'

/** Networks whose coins are worth nothing. There is no setting that allows others. */
const NETWORKS: readonly Network[] = ['regtest', 'simnet', 'signet']
/** A channel carries whole satoshis at least. */
const MINIMUM_MSATS = 1_000n
/** LND takes some seconds after its own start, and longer when it opens a large database. */
const START_MS = 60_000
const ASK_EVERY_MS = 1_000

/** The LND of the settings, with one ledger account: that of its own key. */
export function lndNode({ lnd: settings }: Pick<Settings, 'lnd'>): NodeChoice {
  return {
    books: 'elsewhere',
    accountKeys: undefined,
    check: () => void readAccess(settings),
    async open({ db, log, creditPlannerFor }) {
      const access = readAccess(settings)
      const lnd = makeLndClient(access)
      const identity = identityOf(await untilReady(lnd, access, log))
      const { publicKeyHex } = identity
      await requireOwnKey(db, publicKeyHex, 'LND_URL')
      const accounts = await openNodeAccounts(db, [publicKeyHex])
      const creditPlanner = creditPlannerFor(accounts, publicKeyHex)
      return { node: makeLndNode({ lnd, identity, sends: makeSends(db), creditPlanner, log }), accounts }
    },
  }
}

function readAccess(settings: LndSettings | undefined): LndAccess {
  if (settings === undefined) throw new SettingsError('LND_URL is missing: set it, or use the simulated node.')
  const { url, macaroonFile, tlsCertFile } = settings
  const macaroon = readSettingFile('LND_MACAROON_FILE', macaroonFile).toString('hex')
  const ca = readSettingFile('LND_TLS_CERT_FILE', tlsCertFile).toString('utf8')
  if (macaroon === '') throw new SettingsError('LND_MACAROON_FILE is empty: name the macaroon file of LND.')
  if (!ca.includes('-----BEGIN CERTIFICATE-----'))
    throw new SettingsError('LND_TLS_CERT_FILE is not a certificate: name the file tls.cert of LND.')
  return { url, macaroon, ca }
}

function readSettingFile(variable: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new SettingsError(`${variable} cannot be read (${code}): name a file that this user may read.`)
  }
}

/** @throws SettingsError when waiting would not help, and a start error when LND does not get ready. */
async function untilReady(lnd: Lnd, { url }: LndAccess, log: Log): Promise<LndInfo> {
  const since = performance.now()
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await lnd.getInfo()
    } catch (error) {
      refuseWrongSetting(error)
      const reason = error instanceof Error ? error.message : String(error)
      if (performance.now() - since > START_MS) {
        lnd.close()
        throw startError(`LND at ${url} is not ready (${reason}): start or unlock it, or correct LND_URL.`, error)
      }
      if (isFirst) log.warn({ error }, 'waiting for LND')
      await sleep(ASK_EVERY_MS)
    }
  }
}

function refuseWrongSetting(error: unknown): void {
  if (error instanceof LndError && /macaroon|permission denied|verification failed/i.test(error.message))
    throw new SettingsError(`LND refuses LND_MACAROON_FILE (${error.message}): name a macaroon of this LND.`)
  const { cause } = error as { readonly cause?: NodeJS.ErrnoException }
  const code = cause?.code ?? ''
  if (/CERT|SELF_SIGNED|ERR_TLS|ERR_SSL/.test(code))
    throw new SettingsError(`LND_TLS_CERT_FILE does not fit LND_URL (${code}): name the file tls.cert of this LND.`)
}

function identityOf({ publicKeyHex, network: name }: LndInfo): NodeIdentity {
  const network = NETWORKS.find((each) => each === name)
  if (network === undefined)
    throw new SettingsError(
      `LND_URL leads to a node on ${name}: this VASP uses nodes on ${NETWORKS.slice(0, -1).join(', ')} and ${NETWORKS.at(-1)} only.`,
    )
  return { publicKeyHex, network, minimumMsats: MINIMUM_MSATS }
}
