import { dataDirOf } from '../lib/environment.js'
import { ensureBuild } from './build'
import { DEMO_USAGE, readDemoArguments } from './demo-arguments'
import { DemoIsRunning, lockDemo, type DemoLock } from './demo-lock'
import { compileScripts, demoProcesses, hasStandIn, sampleAppOrigin, type DemoProcess } from './demo-processes'
import { summary } from './demo-summary'
import { SHOPKEEPER, pairShop } from './pair-shop'
import { processLogPath } from './process-log'
import { requireDifferent, requireFree } from './ports'
import {
  STOP_PATIENCE_MS,
  epitaph,
  hasEnded,
  startProcess,
  stopProcess,
  untilAnswers,
  type RunningProcess,
} from './processes'
import { reset } from './reset'
import { ensureSandbox, type Sandbox } from './settings'
import { ensureSouthbank, hasSouthbank } from './southbank'

/** The first start makes the embedded database, which takes up to 20 s of CPU. */
const FIRST_START_MS = 120_000
/** A terminal tells npm and this, and npm tells this once more. */
const SAME_WORD_MS = 1_000
const PARENT_CHECK_MS = 500
/** Without payments under way everything has ended by then. */
const SAY_WHY_AFTER_MS = 3_000

const running: RunningProcess[] = []

function say(line: string): void {
  console.log(`  ${line}`)
}

async function main(): Promise<void> {
  const given = readDemoArguments(process.argv.slice(2))
  if (given.help) return console.log(DEMO_USAGE)
  endWithNpm()
  const startedAt = Date.now()
  const lock = await takeLock(given.reset !== undefined)
  const sandbox = await prepare(given.reset)
  const { settings } = sandbox
  lock.answersAt(settings.publicOrigin)
  const gateway = given.gateway && hasStandIn(sandbox)
  if (given.gateway && !gateway) say(`The gateway is ${settings.gatewayRootUrl.origin}, so no stand-in is started.`)
  const southbank = given.southbank && hasSouthbank(sandbox) ? ensureSouthbank(sandbox) : undefined
  const processes = demoProcesses(sandbox, { gateway, southbank })
  const wanted = processes.flatMap(({ listens, alsoListens }) => (alsoListens ? [listens, alsoListens] : [listens]))
  requireDifferent(wanted)
  for (const each of wanted) await requireFree(each)
  ensureBuild(say)
  compileScripts()

  say(`Starting ${settings.vaspName}${southbank === undefined ? '' : ` and ${southbank.settings.vaspName}`} …`)
  await Promise.all(processes.map((each) => startAndWait(each, settings.dataDir)))
  if (gateway) await giveShopItsWallet(sandbox)
  console.log(`\n${summary(sandbox, process.env, { gateway, southbank }).join('\n')}\n`)
  say(`Ready in ${((Date.now() - startedAt) / 1000).toFixed(1)} s. Ctrl-C stops everything.`)
  for (const each of running) {
    const stop = (): void => void stopAll(`${epitaph(each)}\nThe rest is stopped too. Start again: npm run demo`)
    // By then its last words have been read too.
    void each.closed.then(stop)
  }
}

/** The shop sells from the first page on. Without a pairing the demo is still good: the shop says how to connect one. */
async function giveShopItsWallet(sandbox: Sandbox): Promise<void> {
  const { settings } = sandbox
  // With SANDBOX_TOOLS=off there are no test users, so the shop cannot be paired with Bob.
  if (settings.printedPassword === undefined) return
  const shopOrigin = sampleAppOrigin(sandbox)
  try {
    const done = await pairShop({
      vaspOrigin: settings.publicOrigin,
      instance: settings.instance,
      gatewayRoot: settings.gatewayRootUrl.href.replace(/\/$/, ''),
      shopOrigin,
      password: settings.printedPassword,
    })
    if (done === 'paired') say(`Connected the shop to the wallet of $${SHOPKEEPER}@${settings.vaspDomain}.`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    say(`The shop cannot be paid: ${reason}. Connect a wallet at ${shopOrigin}/merchant`)
  }
}

async function takeLock(forReset: boolean): Promise<DemoLock> {
  try {
    return await lockDemo(dataDirOf(process.env))
  } catch (error) {
    if (!(error instanceof DemoIsRunning)) throw error
    const mend = forReset
      ? 'Nothing was erased: stop it first, with Ctrl-C where it runs.'
      : 'A second one beside it needs a folder and ports of its own: DATA_DIR=.data/second PORT=3300 GATEWAY_PORT=8380 RELAY_PORT=7747 APP_PORT=3500 npm run demo'
    throw new Error(`${error.message}. ${mend}`, { cause: error })
  }
}

/** The settings, after erasing what was asked to be erased. */
async function prepare(what: 'data' | 'keys' | undefined): Promise<Sandbox> {
  const sandbox = ensureSandbox(process.env)
  if (what === undefined) return sandbox
  await reset(what, process.env, say)
  return ensureSandbox(process.env)
}

async function startAndWait({ name, args, env, aliveUrl, says }: DemoProcess, dataDir: string): Promise<void> {
  const output = { show: showProgress, logFile: processLogPath(dataDir, name) }
  const started = startProcess(name, args, { ...process.env, ...env }, output)
  running.push(started)
  await untilAnswers(started, aliveUrl, FIRST_START_MS, says)
}

/** The server says in its log what it is doing while it makes the database; those lines are shown as they come. */
function showProgress(chunk: string): void {
  for (const line of chunk.split('\n')) {
    const message = /"msg":"([^"]*database[^"]*)"/i.exec(line)?.[1]
    if (message !== undefined) say(message)
  }
}

/** npm and its shell may be ended without a word to us; what runs on without them would hold folder and ports unseen. */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  setInterval(() => {
    if (process.ppid !== parent) void stopAll()
  }, PARENT_CHECK_MS).unref()
}

let stopping = false
async function stopAll(reason?: string): Promise<void> {
  if (stopping) return
  stopping = true
  if (reason !== undefined) console.error(`\n${reason}`)
  if (running.some((each) => !hasEnded(each))) console.log('\n  Stopping …')
  const why = setTimeout(sayWhatIsWaitedFor, SAY_WHY_AFTER_MS)
  await Promise.all(running.map((each) => stopProcess(each)))
  clearTimeout(why)
  process.exit(reason === undefined ? 0 : 1)
}

function sayWhatIsWaitedFor(): void {
  const names = running.filter((each) => !hasEnded(each)).map(({ name }) => name)
  if (names.length > 0)
    say(
      `Waiting up to ${STOP_PATIENCE_MS / 1_000} s for payments that are under way: ${names.join(', ')}. Ctrl-C again does not wait; they go on at the next start.`,
    )
}

/** What is under way is left as after a crash, which loses nothing. */
function endAtOnce(): never {
  for (const { child } of running) child.kill('SIGKILL')
  process.exit(1)
}

let toldAtMs = -SAME_WORD_MS
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (performance.now() - toldAtMs < SAME_WORD_MS) return
    toldAtMs = performance.now()
    if (stopping) endAtOnce()
    void stopAll()
  })
main().catch((error: unknown) => void stopAll(error instanceof Error ? error.message : String(error)))
