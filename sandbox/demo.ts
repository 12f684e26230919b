import { parseArgs } from 'node:util'
import { ensureBuild } from './build'
import { gatewayEnvironment } from './gateway-environment'
import { startProcess, stopProcess, untilAnswers, type RunningProcess } from './processes'
import { reset } from './reset'
import { NORTHBANK, dataDirOf, ensureSettings } from './settings'

/** The first start makes the embedded database, which takes up to 20 s of CPU. */
const FIRST_START_MS = 120_000

const running: RunningProcess[] = []

function say(line: string): void {
  console.log(`  ${line}`)
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { reset: { type: 'string' }, 'no-gateway': { type: 'boolean' } },
    args: withResetValue(process.argv.slice(2)),
  })
  const startedAt = Date.now()
  const dataDir = dataDirOf(NORTHBANK)
  if (values.reset !== undefined)
    await reset(values.reset, { instance: NORTHBANK, dataDir, gatewayDir: '.data/gateway' }, say)
  const settings = ensureSettings(NORTHBANK)
  ensureBuild(say)

  say(`Starting ${NORTHBANK.name} …`)
  const vasp = start('vasp', ['server.js'], { ...process.env, ...settings, NODE_ENV: 'production' }, showProgress)
  const gateway = values['no-gateway']
    ? undefined
    : start('gateway stand-in', ['--import', 'tsx', 'sandbox/gateway/main.ts'], {
        ...process.env,
        ...gatewayEnvironment(settings),
      })
  await untilAnswers(vasp, `http://localhost:${NORTHBANK.port}/-/ready`, FIRST_START_MS)
  if (gateway !== undefined) await untilAnswers(gateway, `${NORTHBANK.gatewayRootUrl}/-/alive`, FIRST_START_MS)

  console.log(`\n${summary(gateway !== undefined).join('\n')}\n`)
  console.log(`  Ready in ${((Date.now() - startedAt) / 1000).toFixed(1)} s. Ctrl-C stops everything.`)
  for (const each of running) each.child.once('exit', () => void stopAll(`${each.name} stopped:\n${each.lastLines()}`))
}

function summary(withGateway: boolean): string[] {
  const origin = `http://localhost:${NORTHBANK.port}`
  const click = withGateway ? `${NORTHBANK.gatewayRootUrl} (gateway stand-in), or ${origin}` : origin
  return [
    `  Click    ${click}   (a sandbox: no real money)`,
    '  Be       alice, bob, yuki, khalid or penny, password: sandbox',
    `  API      ${origin}/umanwc/v1   a token for curl: npm run --silent token -- alice --permissions get_info,get_balance`,
    '  Gateway  npm run --silent gateway:config -- --format=env|python prints the settings for yours',
  ]
}

function start(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  show?: (chunk: string) => void,
): RunningProcess {
  const started = startProcess(name, args, env, show)
  running.push(started)
  return started
}

/** The server says in its log what it is doing while it makes the database; those lines are shown as they come. */
function showProgress(chunk: string): void {
  for (const line of chunk.split('\n')) {
    const message = /"msg":"([^"]*database[^"]*)"/i.exec(line)?.[1]
    if (message !== undefined) say(message)
  }
}

/** `--reset` alone means `--reset=data`. */
function withResetValue(args: string[]): string[] {
  return args.map((arg) => (arg === '--reset' ? '--reset=data' : arg))
}

let stopping = false
async function stopAll(reason?: string): Promise<void> {
  if (stopping) return
  stopping = true
  if (reason !== undefined) console.error(`\n${reason}`)
  await Promise.all(running.map((each) => stopProcess(each)))
  process.exit(reason === undefined ? 0 : 1)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stopAll())
main().catch((error: unknown) => void stopAll(error instanceof Error ? error.message : String(error)))
