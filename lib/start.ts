import { loadJwtKeys } from './accounts/jwt-keys'
import { seedOpeningBalances, seedUsers } from './accounts/seed'
import { scheduleLoginCleanup } from './accounts/sessions/old-logins'
import { scheduleAttemptCleanup } from './accounts/sign-in/attempt-counter'
import { makePasswords } from './accounts/sign-in/passwords'
import { makeSignInThrottle } from './accounts/sign-in/sign-in-throttle'
import { makeAuditor } from './audit/auditor'
import type { Application } from './backend/application'
import { makeHandlers } from './backend/handlers'
import { makeProtocol } from './backend/protocol'
import type { SandboxTools, SandboxToolsParts } from './backend/sandbox-tools'
import { makeAppNames } from './connections/app-names'
import { scheduleConnectionCleanup } from './connections/old-connections'
import { NO_FEED } from './events/feed'
import { NO_EVENTS } from './events/recorder'
import { scheduleInvoiceCleanup } from './invoices/old-invoices'
import { createInvoice, type CreateInvoice } from './invoices/service'
import { openHouseAccounts } from './ledger/accounts'
import { openRates } from './ledger/rate-snapshot'
import { chooseNode } from './lightning/choose-node'
import type { Metrics } from './metrics/metrics'
import type { SamplePorts } from './metrics/samples'
import { readCursor } from './payments/node-events'
import { peerMessageEvents } from './payments/payment-events'
import { makeCreditPlanner } from './payments/receive'
import { makePaymentWorker } from './payments/worker'
import { makeBoundedLog } from './platform/bounded-log'
import { buildInfo } from './platform/build-info'
import { systemClock } from './platform/clock'
import { loadSettings, SettingsError, type Settings } from './platform/config'
import { consoleToLog } from './platform/console-to-log'
import { openDatabase } from './platform/db/open-database'
import { sessionName } from './platform/db/session-name'
import { databaseStartError } from './platform/db/start-failure'
import { scheduleUpkeep } from './platform/db/upkeep'
import { scheduleWriteCheck } from './platform/db/write-check'
import { describeFailure } from './platform/failures'
import { makeHttpServer, requireFreePort, type HttpServer } from './platform/http/http-server'
import { makeRateLimits } from './platform/http/rate-limits'
import { joinRepeatedAuthorization } from './platform/http/repeated-headers'
import { randomIds } from './platform/ids'
import { makeLog, type Log } from './platform/log'
import { processSingletons, singleton } from './platform/process-singletons'
import { scheduleQuoteCleanup } from './quotes/old-quotes'
import { findPayableUser } from './uma/find-payable-user'
import type { UmaInvoices } from './uma/invoices/open'
import { loadUmaKeys, openUma } from './uma/open'
import { scheduleUnpaidCleanup } from './uma/server/unpaid-requests'
import { makeRejectionPage } from './web/error-page'

/** `server.js` stores this signal in the process and waits for it, because Next does not wait for instrumentation. */
export interface ReadySignal {
  resolve(server: HttpServer): void
  /** Receives each step of the start before it begins. */
  step(text: string): void
  reject(error: unknown): void
}

/**
 * Builds the application once in each process: settings, keys, database, users, API. A failed start ends the process,
 * because a server that keeps running would answer 500 forever.
 */
export function start(): Promise<void> {
  return singleton('start', async () => {
    const signal = processSingletons().get('ready') as ReadySignal | undefined
    try {
      const settings = loadSettings(process.env)
      if (signal !== undefined) await requireFreePort(settings)
      const app = await build(settings, (step) => signal?.step(step))
      const vasp = makeProtocol(app)
      processSingletons().set('application', app)
      processSingletons().set('protocol', vasp)
      if (signal === undefined) return joinRepeatedAuthorization()
      consoleToLog(app.log)
      signal.resolve(makeHttpServer(app, { ...makeHandlers(app, vasp), rejectionPage: makeRejectionPage(settings) }))
    } catch (thrown) {
      const error = databaseStartError(thrown) ?? thrown
      if (signal !== undefined) return signal.reject(error)
      process.stderr.write(`${startFailure(error)}\n`)
      process.exit(1)
    }
  })
}

/** One line for a mistake in the settings or a database in use; the stack is only for an unexpected error. */
function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof SettingsError || error.name === 'StartError' ? error.message : (error.stack ?? error.message)
}

async function build(settings: Settings, report: (step: string) => void): Promise<Application> {
  // next-auth reads its origin from here only.
  process.env.NEXTAUTH_URL = settings.publicOrigin
  const log = makeLog(settings.logLevel, settings.instance)
  const onStep = (step: string): void => {
    log.info({ step }, 'starting')
    report(step)
  }
  const keys = await loadJwtKeys(settings)
  const chosen = chooseNode(settings)
  // A wrong setting prevents startup before the database is touched.
  chosen.check()
  if (loadUmaKeys(settings) === undefined) log.warn('UMA_SIGNING_KEY is not set: UMA is off')
  if (keys.verification.length === 0) log.warn('JWT_PUBLIC_KEY is not set: every API call will answer 500')
  if (keys.signing === undefined) log.warn('JWT_PRIVATE_KEY is not set: no login and no token exchange will work')
  const boundedLog = makeBoundedLog(log)
  const db = await openDatabase({
    databaseUrl: settings.databaseUrl,
    dataDir: settings.dataDir,
    sessionName: sessionName(buildInfo(), settings.port),
    log: (state) => log.warn({ state }, 'a connection to the database was lost'),
    onStep,
    onSlowStatement: (statement, ms) => boundedLog.info({ statement, ms }, 'a statement took over a second'),
    // The next start compares the totals of the peers again, audits, and reads every other state.
    onReplaced() {
      log.error('the database is not the one of the start: ending, to be started again')
      process.exit(1)
    },
  })
  const metrics = settings.metricsPort === undefined ? undefined : (await import('./metrics/metrics')).createMetrics()
  const limits = makeRateLimits(settings.rateLimits, () => metrics?.countRejection('load'))
  const house = await openHouseAccounts(db)
  const listedRates = await openRates(db)
  const tools = await openTools({ settings, db, clock: systemClock, log, limits, listedRates })
  const { rates, events: recorder } = tools ?? { rates: listedRates, events: NO_EVENTS }
  const events = metrics?.withEvents(recorder) ?? recorder
  const {
    node,
    accounts: nodeAccounts,
    peers: nodePeers,
    simulated: simulatedNode,
  } = await chosen.open({
    testPeer: tools?.testPeer,
    isHeld: tools?.isHeld,
    db,
    clock: systemClock,
    log,
    onMessage: (message) => peerMessageEvents(message).forEach((event) => events.record(event)),
    creditPlannerFor: (accounts, ownKey) => makeCreditPlanner({ db, house, nodeAccounts: accounts, rates }, ownKey),
  })
  const passwords = makePasswords()
  if (settings.printedPassword !== undefined) {
    onStep('Creating the test users')
    await seedUsers(db, settings.printedPassword, passwords)
    const month = settings.exampleMonth ? tools?.exampleMonth : undefined
    const openedAt = await month?.openedAt()
    await seedOpeningBalances(db, house, openedAt)
    if (openedAt !== undefined) await month?.book(openedAt, house)
  }
  // The clean-up is not essential: a failure does not prevent startup.
  scheduleLoginCleanup(db, (error) => log.warn({ error }, 'old logins were not cleaned up'))
  scheduleUnpaidCleanup(db, (error) => log.warn({ error }, 'unpaid requests were not deleted'))
  scheduleQuoteCleanup(db, (error) => log.warn({ error }, 'old quotes were not deleted'))
  scheduleInvoiceCleanup({ db, node }, (error) => log.warn({ error }, 'old invoices were not deleted'))
  scheduleConnectionCleanup(db, (error) => log.warn({ error }, 'old connections were not deleted'))
  scheduleWriteCheck(db, (error) => log.error({ error }, 'the database refuses to write'))
  scheduleAttemptCleanup(db, (error) => log.warn({ error }, 'old counts of wrong passwords were not deleted'))
  const audit = makeAuditor(db, log, chosen.books, simulatedNode?.totals.differences)
  onStep('Checking the books')
  await audit.start(() => (db.connections?.().waiting ?? limits.pending().calls) > 0)
  audit.keepRunning()
  const uma = await openUma({ settings, db, clock: systemClock, log, events })
  const ports = { db, node, house, nodeAccounts, nodePeers, rates, log, audit, ids: randomIds, settings, events }
  const create: CreateInvoice = (request) => createInvoice(ports, request)
  const paymentWorker = makePaymentWorker({ ...ports, cursor: await readCursor(ports) })
  // No payment is sent before the first audit.
  void audit.checked.then(() => paymentWorker.keepRunning())
  uma?.callbacks.keepRunning()
  const signInThrottle = makeSignInThrottle({ db, settings })
  if (metrics !== undefined) await openMetricsPort(metrics, { ...ports, limits })
  // The last of the periodic tasks, so that a round finds what the others have just deleted.
  if (db.dueUpkeep !== undefined)
    scheduleUpkeep(db.dueUpkeep, (step, error) => log.warn({ step, error }, 'upkeep of the embedded database failed'))
  return {
    ...ports,
    eventFeed: tools?.eventFeed ?? NO_FEED,
    appNames: makeAppNames(settings.identityRelays, systemClock),
    faults: tools?.faults,
    forToolPages: tools?.forPages,
    simulatedNode,
    uma,
    umaInvoices: await openUmaInvoices(settings),
    clock: systemClock,
    // The test values need the simulated node, which pays the test node and is paid by it.
    findRecipient: (simulatedNode && tools?.withRecipients(findPayableUser)) ?? findPayableUser,
    createInvoice: (simulatedNode && tools?.withMemos(create, simulatedNode)) ?? create,
    paymentWorker,
    keys,
    limits,
    countRejection: metrics?.countRejection,
    countAnswer: metrics?.countAnswer,
    boundedLog,
    signInThrottle: metrics?.withSignIns(signInThrottle) ?? signInThrottle,
    passwords,
    describeFailure,
  }
}

/** All sandbox tools, or none. Without them their code is never loaded. A plain VASP deletes the first line (`docs/adopt.md`). */
async function openTools(parts: SandboxToolsParts): Promise<SandboxTools | undefined> {
  if (parts.settings.sandboxTools) return (await import('./sandbox/open')).openSandboxTools(parts)
  return undefined
}

/** UMA invoices and requests for money, or nothing. Without them their code is never loaded. */
async function openUmaInvoices({ umaInvoices }: Settings): Promise<UmaInvoices | undefined> {
  return umaInvoices ? (await import('./uma/invoices/open')).umaInvoices : undefined
}

/** `METRICS_PORT` is a separate port, so that the public port never shows the metrics. */
async function openMetricsPort(
  metrics: Metrics,
  ports: SamplePorts & { readonly log: Log; readonly settings: Settings },
): Promise<void> {
  const { metricsPort: port, metricsHost: host } = ports.settings
  if (port === undefined) return
  const [{ readSamples }, { serveMetrics }] = await Promise.all([
    import('./metrics/samples'),
    import('./metrics/server'),
  ])
  const page = { contentType: metrics.contentType, text: async () => metrics.text(await readSamples(ports)) }
  await serveMetrics({ host, port }, page)
  ports.log.info({ address: host, port }, 'metrics are served')
}
