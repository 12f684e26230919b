import { LOGIN_TOKEN_SECONDS } from 'uma-auth-vasp'
import { loadJwtKeys } from '../../accounts/jwt-keys'
import type { NodeReport } from '../../lightning/node'
import type { OpenedNode } from '../../lightning/opened-node'
import type { Clock } from '../../platform/clock'
import { inTime } from '../../platform/concurrency/in-time'
import { SettingsError, type Settings } from '../../platform/config'
import { statement } from '../../platform/db/statement'
import { singleton } from '../../platform/process-singletons'
import { PATIENCE_MS, readiness, type Readiness, type ReadinessPorts } from '../../platform/readiness'
import { loadUmaKeys } from '../../uma/open'
import { channelsInWords } from '../wire/channels-in-words'
import { askGateway, clockText, loginUrlOfPage, MAX_CLOCK_DIFFERENCE_SECONDS, rootOf } from './gateway-server'

/** One finding of the doctor. */
export interface Check {
  readonly name: string
  readonly result: 'pass' | 'warn' | 'fail'
  /** What was checked. */
  readonly asked: string
  /** The result, in words. */
  readonly answer: string
  /** What to do. Undefined when the check passed. */
  readonly fix?: string
  /** Settings of the gateway to compare. */
  readonly compare?: readonly Compared[]
  /** The event that the check is about. */
  readonly eventId?: bigint
  /** The status of a page that does not show that the server at the gateway's address is a gateway; 0: no page was read. */
  readonly unknownKindStatus?: number
}

/** A setting of the gateway, the value that it must have, and the word in the gateway's log when it has another one. */
export interface Compared {
  readonly setting: string
  readonly value: string
  readonly logWord: string
}

export interface DoctorPorts extends ReadinessPorts<NodeReport> {
  readonly clock: Clock
  readonly nodePeers: OpenedNode['peers'] | undefined
  readonly settings: Pick<
    Settings,
    | 'gatewayRootUrl'
    | 'publicOrigin'
    | 'gatewayRelayUrl'
    | 'jwtPrivateKeyPem'
    | 'jwtPublicKeyPem'
    | 'jwtPublicKeyPreviousPem'
    | 'umaSigningKeyHex'
    | 'umaEncryptionKeyHex'
  >
}

/** A token with a lifetime of 10 minutes still works with this difference, but its expiry is off by as much. */
const CLOCK_WARN_MS = 2_000
const CLOCK_FAIL_MS = 30_000
/** Page views within this time share the results, so that reloading a page cannot flood a gateway with requests. */
const SHARED_MS = 2_000

const DATABASE_CLOCK = statement<{ now: Date }>('database_clock', 'select clock_timestamp() as now')

/** Runs all checks at the same time. Each ends within `PATIENCE_MS`, and none throws. */
export async function runChecks(ports: DoctorPorts): Promise<readonly Check[]> {
  const { settings } = ports
  const state = readiness(ports)
  const groups = await Promise.all([
    clockCheck(ports),
    tokenKeysCheck(settings),
    previousKeyCheck(settings),
    gatewayChecks(ports),
    relayCheck(settings),
    state.then(databaseCheck),
    state.then(booksCheck),
    state.then(nodeCheck),
    umaKeysCheck(settings),
    peerChecks(ports, state),
  ])
  return groups.flat()
}

/** Like `runChecks`, but at most once every two seconds in each process. */
export function recentChecks(ports: DoctorPorts): Promise<readonly Check[]> {
  const last = singleton<{ atMs: number; checks: Promise<readonly Check[]> | undefined }>('doctor', () => ({
    atMs: 0,
    checks: undefined,
  }))
  const nowMs = performance.now()
  if (last.checks === undefined || nowMs - last.atMs > SHARED_MS) {
    last.atMs = nowMs
    last.checks = runChecks(ports)
  }
  return last.checks
}

async function clockCheck({ db, clock }: DoctorPorts): Promise<Check> {
  const [name, asked] = ['Clock', 'The time of the database']
  const startedMs = clock.now().getTime()
  const row = await inTime(
    db.query(DATABASE_CLOCK).then(
      ([first]) => first,
      () => undefined,
    ),
    undefined,
    PATIENCE_MS,
  )
  if (row === undefined)
    return { name, asked, result: 'fail', answer: 'No answer.', fix: 'Start the database, or correct DATABASE_URL.' }
  const endedMs = clock.now().getTime()
  const databaseMs = row.now.getTime()
  // The database read its clock at some time between the two readings.
  const differenceMs = Math.max(0, startedMs - databaseMs, databaseMs - endedMs)
  const answer = differenceMs === 0 ? 'The same time.' : `${(differenceMs / 1_000).toFixed(1)} seconds apart.`
  if (differenceMs <= CLOCK_WARN_MS) return { name, asked, result: 'pass', answer }
  return {
    name,
    asked,
    result: differenceMs <= CLOCK_FAIL_MS ? 'warn' : 'fail',
    answer,
    fix: 'Synchronize the clocks of this machine and of the database server with NTP.',
  }
}

async function tokenKeysCheck(settings: DoctorPorts['settings']): Promise<Check> {
  const [name, asked] = ['Token keys', 'JWT_PRIVATE_KEY and JWT_PUBLIC_KEY']
  const missing = [
    ...(settings.jwtPrivateKeyPem === undefined ? ['JWT_PRIVATE_KEY'] : []),
    ...(settings.jwtPublicKeyPem === undefined ? ['JWT_PUBLIC_KEY'] : []),
  ]
  const current = { ...settings, jwtPublicKeyPreviousPem: undefined }
  const problem = await problemOf(() => loadJwtKeys(current))
  if (problem !== undefined) return { name, asked, result: 'fail', ...problem }
  if (missing.length > 0)
    return {
      name,
      asked,
      result: 'fail',
      answer: `${missing.join(' and ')} missing.`,
      fix: 'Set both halves of one P-256 key pair and restart the server.',
    }
  return { name, asked, result: 'pass', answer: 'The two keys are a pair (ES256).' }
}

async function previousKeyCheck(settings: DoctorPorts['settings']): Promise<Check> {
  const [name, asked] = ['Previous token key', 'JWT_PUBLIC_KEY_PREVIOUS']
  const { jwtPublicKeyPem, jwtPublicKeyPreviousPem } = settings
  if (jwtPublicKeyPreviousPem === undefined) return { name, asked, result: 'pass', answer: 'Not set.' }
  const problem = await problemOf(() =>
    loadJwtKeys({ jwtPrivateKeyPem: undefined, jwtPublicKeyPem: undefined, jwtPublicKeyPreviousPem }),
  )
  if (problem !== undefined) return { name, asked, result: 'fail', ...problem }
  if (jwtPublicKeyPreviousPem === jwtPublicKeyPem)
    return {
      name,
      asked,
      result: 'warn',
      answer: 'The same key as JWT_PUBLIC_KEY.',
      fix: 'Set the public key of the replaced pair, or remove the setting.',
    }
  return { name, asked, result: 'pass', answer: 'Tokens signed with the previous key are accepted too.' }
}

function umaKeysCheck(settings: DoctorPorts['settings']): Promise<Check> {
  const [name, asked] = ['UMA keys', 'UMA_SIGNING_KEY and UMA_ENCRYPTION_KEY']
  return problemOf(() => loadUmaKeys(settings)).then((problem) => {
    if (problem !== undefined) return { name, asked, result: 'fail', ...problem }
    if (settings.umaSigningKeyHex === undefined)
      return {
        name,
        asked,
        result: 'warn',
        answer: 'Not set: payments to and from other VASPs are off.',
        fix: 'Set both keys to 64 random hex digits to use UMA.',
      }
    return { name, asked, result: 'pass', answer: 'Both keys are usable.' }
  })
}

const IN_A_CONTAINER = 'If this server runs in a container, localhost is that container: check from a browser instead.'
const START_THE_GATEWAY = `Start the gateway, or set GATEWAY_ROOT_URL to the address where it listens. ${IN_A_CONTAINER}`

/** The gateway's page, which names the login URL, and the gateway's clock. */
async function gatewayChecks({ clock, settings }: DoctorPorts): Promise<readonly Check[]> {
  const root = rootOf(settings)
  const url = `${root}/`
  const [name, asked] = ['Gateway', `GET ${url}`]
  const reply = await askGateway(root, url, { clock, totalMs: PATIENCE_MS })
  if ('problem' in reply)
    return reply.isUnread
      ? [unknownKind({ name, asked }, 0, `The answer was not read: ${reply.problem}.`)]
      : [{ name, asked, result: 'fail', answer: `No answer: ${reply.problem}.`, fix: START_THE_GATEWAY }]
  const { status, text, secondsAhead } = reply
  const loginUrl = loginUrlOfPage(text)
  const check =
    loginUrl === undefined
      ? unknownKind({ name, asked }, status, `Status ${status}, and the page is not that of a gateway.`)
      : loginUrlCheck({ name, asked }, loginUrl, `${settings.publicOrigin}/connect`)
  return [check, ...(secondsAhead === undefined ? [] : [gatewayClockCheck(asked, secondsAhead)])]
}

type Asked = Pick<Check, 'name' | 'asked'>

function unknownKind(asked: Asked, unknownKindStatus: number, answer: string): Check {
  return {
    ...asked,
    result: 'warn',
    answer: `Unknown kind. ${answer}`,
    fix: 'Another program may listen there: set GATEWAY_ROOT_URL to the root of the gateway. If it is the gateway, its web app may not be built (FRONTEND_BUILD_PATH): press “Try a login”, which shows whether it is a gateway.',
    unknownKindStatus,
  }
}

function loginUrlCheck(asked: Asked, loginUrl: string, own: string): Check {
  const [address = ''] = loginUrl.split('?', 1)
  if (address === own) return { ...asked, result: 'pass', answer: `A gateway that sends logins to ${own}.` }
  return {
    ...asked,
    result: 'fail',
    answer: `A gateway that sends logins to ${address.slice(0, 200)}, not to ${own}.`,
    fix: `Set UMA_VASP_LOGIN_URL of the gateway to ${own} and restart the gateway. If this gateway belongs to another VASP, set GATEWAY_ROOT_URL to the root of your own.`,
  }
}

function gatewayClockCheck(url: string, secondsAhead: number): Check {
  const [name, asked] = ['Gateway clock', `The Date header of ${url}`]
  if (secondsAhead === 0) return { name, asked, result: 'pass', answer: 'The same time.' }
  const answer = `The clock of the gateway is ${clockText(secondsAhead)}.`
  if (Math.abs(secondsAhead) <= MAX_CLOCK_DIFFERENCE_SECONDS) return { name, asked, result: 'pass', answer }
  const minutes = LOGIN_TOKEN_SECONDS / 60
  const effect =
    secondsAhead > 0
      ? 'too early, with ExpiredSignatureError in the gateway’s log'
      : 'too late, and the connections that it creates end at another time'
  return {
    name,
    asked,
    result: 'fail',
    answer,
    fix: `Login tokens expire after ${minutes} minutes. For this gateway they expire ${effect}. Synchronize the clocks of the gateway’s machine and of this machine with NTP. If the gateway is behind a proxy, the time may be that of the proxy.`,
  }
}

async function relayCheck({ gatewayRelayUrl }: DoctorPorts['settings']): Promise<Check[]> {
  if (gatewayRelayUrl === undefined) return []
  // A relay answers HTTP at its own address (NIP-11).
  const url = gatewayRelayUrl.replace(/^ws/, 'http')
  return [
    await reachCheck('Relay', url, {
      accept: 'application/nostr+json',
      fix: `Start the relay, or set GATEWAY_RELAY_URL to the address where it listens. ${IN_A_CONTAINER}`,
    }),
  ]
}

function databaseCheck({ checks: { database, writing } }: Readiness): Check {
  const [name, asked] = ['Database', 'Whether it answers and stores']
  if (database === 'ok' && writing === 'ok') return { name, asked, result: 'pass', answer: 'It answers.' }
  if (database === 'ok')
    return {
      name,
      asked,
      result: 'fail',
      answer: 'It answers, but it is read-only or has refused to store something in the last 90 seconds.',
      fix: 'Check its disk, and whether it is a standby.',
    }
  const fix = 'Start the database, or correct DATABASE_URL.'
  return { name, asked, result: 'fail', answer: `No answer within ${PATIENCE_MS / 1_000} seconds.`, fix }
}

function booksCheck({ checks: { books } }: Readiness): Check {
  const [name, asked] = ['Books', 'The last audit of the ledger']
  if (books === 'ok') return { name, asked, result: 'pass', answer: 'The books balance.' }
  const answer = books === 'missing' ? 'No audit in the last five minutes.' : 'The books do not balance.'
  return { name, asked, result: 'fail', answer, fix: 'Run npm run audit, which prints what it found.' }
}

function nodeCheck({ checks: { node }, channels: report }: Readiness<NodeReport>): Check {
  const [name, asked] = ['Lightning node', 'The state of the node']
  if (node === 'ok') {
    if (report === undefined) return { name, asked, result: 'pass', answer: 'It is ready.' }
    const answer = `It is ready. ${channelsInWords(report)}`
    if (!report.isSynced) return { name, asked, result: 'warn', answer, fix: 'Wait until the node has read the chain.' }
    if (report.activeChannels > 0) return { name, asked, result: 'pass', answer }
    return { name, asked, result: 'warn', answer, fix: 'Open a channel, or connect the node to its peers.' }
  }
  if (node === 'starting')
    return { name, asked, result: 'warn', answer: 'It is starting.', fix: 'Wait until the node has started.' }
  return { name, asked, result: 'fail', answer: 'No answer.', fix: 'Start the Lightning node.' }
}

async function peerChecks(
  { nodePeers }: Pick<DoctorPorts, 'nodePeers'>,
  state: Promise<Readiness>,
): Promise<readonly Check[]> {
  if (nodePeers === undefined) return []
  const name = 'Lightning peers'
  if (nodePeers.length === 0) return [{ name, asked: 'LIGHTNING_PEERS', result: 'pass', answer: 'Not set.' }]
  const fix = 'Start the peer, or correct its origin in LIGHTNING_PEERS.'
  return Promise.all([
    ...nodePeers.map(({ origin }) => reachCheck('Lightning peer', `${origin}/-/alive`, { fix })),
    state.then(({ checks }) => peerTotalsCheck(name, checks.peers)),
  ])
}

function peerTotalsCheck(name: string, peers: Readiness['checks'][string] | undefined): Check {
  const asked = 'The totals of each peer'
  if (peers === 'ok') return { name, asked, result: 'pass', answer: 'No difference from our records.' }
  return {
    name,
    asked,
    result: 'warn',
    answer: 'A peer has higher totals than our records, and is not paid.',
    fix: 'Run npm run audit, which prints the command that accepts the difference.',
  }
}

/** Sends one GET request to an address in the settings. Redirects are answers and are not followed. */
async function reachCheck(
  name: string,
  url: string,
  { accept = '*/*', fix }: { readonly accept?: string; readonly fix: string },
): Promise<Check> {
  const asked = `GET ${url}`
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      cache: 'no-store',
      headers: { Accept: accept },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    await response.body?.cancel()
    const answer = `Status ${response.status}.`
    if (response.status < 500) return { name, asked, result: 'pass', answer }
    return { name, asked, result: 'warn', answer, fix: 'Look for the error in the log of that server.' }
  } catch (error) {
    return { name, asked, result: 'fail', answer: `No answer: ${reasonOf(error)}.`, fix }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.name === 'TimeoutError') return `none within ${PATIENCE_MS / 1_000} seconds`
  const { code } = (error.cause ?? {}) as { readonly code?: string }
  return code ?? error.message
}

/** Returns a SettingsError as answer and fix; undefined when nothing is wrong. */
async function problemOf(load: () => unknown): Promise<{ answer: string; fix: string } | undefined> {
  try {
    await load()
    return undefined
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    const [problem = '', fix = ''] = error.message.split(/: (.*)/s)
    return { answer: `${problem}.`, fix: `${fix.charAt(0).toUpperCase()}${fix.slice(1)}` }
  }
}
