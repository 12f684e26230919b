import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirOf } from '../../lib/platform/environment.js'
import { readOptions } from '../../scripts/options'
import { sayProgress, soFar } from '../../scripts/progress.mjs'
import { SHOPKEEPER } from '../pairing/connect-shop'
import { requireFreePorts } from '../shared/ports'
import { ensureSandbox, type Sandbox } from '../shared/settings'
import { ensureBuild } from './build'
import { DEMO, readDemoArguments } from './demo-arguments'
import { DemoIsRunning, lockDemo, type DemoLock } from './demo-lock'
import { compileScripts, demoProcesses, hasSimulator, isCompiled, portsOf, sampleAppOrigin } from './demo-processes'
import { gatewayNotes, summary } from './demo-summary'
import { hasLightning, LND_DATA_DIR, startLightning } from './lightning'
import { pairShop } from './pair-shop'
import { makeProcessGroup } from './process-group'
import { reset, unfinishedReset } from './reset'
import { ensureSouthbank, hasSouthbank } from './southbank'
import { ensureTemplate } from './template'

const group = makeProcessGroup('npm run demo', say)

function say(line: string): void {
  console.log(`  ${line}`)
}

async function main(): Promise<void> {
  const given = readOptions(DEMO, readDemoArguments)
  const startedAt = Date.now()
  if (given.lnd) process.env.DATA_DIR ||= LND_DATA_DIR
  const lock = await takeLock(given.reset !== undefined)
  group.keepRecord(lock)
  const prepared = await prepare(given.reset)
  const lightning = given.lnd || hasLightning(prepared) ? await startLightning(prepared, group, say) : undefined
  const sandbox = lightning === undefined ? prepared : ensureSandbox(process.env)
  const { settings } = sandbox
  lock.answersAt(settings.publicOrigin)
  const gateway = given.gateway && hasSimulator(sandbox)
  if (given.gateway && !gateway) say(`The gateway is ${settings.gatewayRootUrl.origin}, so no simulator is started.`)
  for (const note of gatewayNotes(sandbox, { gateway })) say(note)
  const southbank = given.southbank && hasSouthbank(sandbox) ? ensureSouthbank(sandbox) : undefined
  const processes = demoProcesses(sandbox, {
    gateway,
    southbank,
    month: !given.empty,
    southbankKey: lightning?.southbankKey,
  })
  await requireFreePorts(portsOf(processes))
  await Promise.all([
    ensureBuild(say, (child) => group.own({ name: 'build', child })),
    [sandbox, southbank].some(hasNoDatabase) && ensureTemplate(say, (child) => group.own({ name: 'template', child })),
  ])

  say(`Starting ${settings.vaspName}${southbank === undefined ? '' : ` and ${southbank.settings.vaspName}`} …`)
  const startOthers = async (): Promise<void> => {
    compileScripts()
    await group.start(processes.filter(isCompiled), settings.dataDir)
  }
  // The VASPs take longest, so they start while the others are compiled.
  const vasps = processes.filter((each) => !isCompiled(each))
  await Promise.all([group.start(vasps, settings.dataDir), startOthers()])
  if (gateway) await giveShopItsWallet(sandbox)
  if (lightning !== undefined) say(lightning.about)
  console.log(`\n${summary(sandbox, process.env, { gateway, southbank }).join('\n')}\n`)
  say(`Ready in ${((Date.now() - startedAt) / 1000).toFixed(1)} s. Ctrl-C stops everything.`)
  group.endTogether()
}

/**
 * Pairs the shop, so that it can sell from the start. The demo also works without a pairing: the shop says how to
 * connect a wallet.
 */
async function giveShopItsWallet(sandbox: Sandbox): Promise<void> {
  const { settings } = sandbox
  // With SANDBOX_TOOLS=off there are no test users, so the shop cannot be paired with Bob.
  if (settings.printedPassword === undefined) return
  const shopOrigin = sampleAppOrigin(sandbox)
  const startedAtMs = performance.now()
  const quiet = sayProgress(say, () => [soFar('Connecting the shop to a wallet', performance.now() - startedAtMs)])
  try {
    const done = await pairShop({
      vaspOrigin: settings.publicOrigin,
      instance: settings.instance,
      gatewayRoot: settings.gatewayRootUrl.href.replace(/\/$/, ''),
      shopOrigin,
      password: settings.printedPassword,
      teamPassword: settings.teamPassword,
    })
    if (done === 'paired') say(`Connected the shop to the wallet of $${SHOPKEEPER}@${settings.vaspDomain}.`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    say(`The shop cannot be paid: ${reason}. Connect a wallet at ${shopOrigin}/merchant`)
  } finally {
    quiet()
  }
}

function hasNoDatabase(sandbox: Sandbox | undefined): boolean {
  if (sandbox === undefined || sandbox.settings.databaseUrl !== undefined) return false
  return !existsSync(join(sandbox.settings.dataDir, 'database'))
}

async function takeLock(forReset: boolean): Promise<DemoLock> {
  try {
    return await lockDemo(dataDirOf(process.env), { say })
  } catch (error) {
    if (!(error instanceof DemoIsRunning)) throw error
    const mend = forReset
      ? 'Nothing was erased: stop it first with Ctrl-C in its terminal.'
      : 'A second demo needs a folder and ports of its own: DATA_DIR=.data/second PORT=3300 GATEWAY_PORT=8380 RELAY_PORT=7747 APP_PORT=3500 npm run demo'
    throw new Error(`${error.message}. ${mend}`, { cause: error })
  }
}

/** The settings, after the requested reset, or after one that was stopped half-way. */
async function prepare(requested: 'data' | 'keys' | undefined): Promise<Sandbox> {
  const sandbox = ensureSandbox(process.env)
  const unfinished = unfinishedReset(process.env)
  if (unfinished !== undefined) say('An earlier --reset was stopped half-way and is repeated.')
  const what = unfinished === 'keys' ? unfinished : (requested ?? unfinished)
  if (what === undefined) return sandbox
  await reset(what, process.env, say)
  return ensureSandbox(process.env)
}

main().catch((error: unknown) => void group.stop(error instanceof Error ? error.message : String(error)))
