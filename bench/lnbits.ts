import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { freePort } from '../test/programs/free-port'
import { measuredOn, measureInTurns, rowOn, type Measured, type Scale } from './cells'
import { CACHE } from './checkout'
import type { Engine } from './engines'
import { cpuMs } from './measure'
import { get, type HttpRequest } from './requests'
import { BALANCE, PAYMENT, rowNamed } from './rows'
import { ratioOf, type Figure } from './sections'
import { HISTORY, inParallel, type Side } from './side'
import { onServer } from './statements'
import { spreadOf } from './statistics'

// LNbits beside this VASP: its own command, one process, on the same PostgreSQL, without a Lightning node. It checks an API key and
// knows neither revoked connections nor scopes.

/** bolt11, which LNbits uses, does not start with version 5 of bitstring. */
const PACKAGES = ['lnbits', 'bitstring<5']
const FOLDER = resolve(CACHE, 'lnbits')
const BIN = join(FOLDER, 'bin')
const INSTALL_MS = 10 * 60_000
const START_MS = 90_000
const WALLETS = 10
const CALLERS = 10
export const NAMES = ['this VASP, CPU ms', 'LNbits, CPU ms', 'LNbits : this VASP']

const Wallet = z.object({ id: z.string(), adminkey: z.string(), inkey: z.string() })
const Invoice = z.object({ bolt11: z.string() })
type Wallets = readonly z.infer<typeof Wallet>[]

/** @throws Error with one line when Python or the package index is missing. */
export async function besideLnbits(side: Side, engine: Engine, scale: Scale): Promise<Figure[]> {
  install(scale.say)
  const database = await engine.sibling()
  const [port, data] = [await freePort(), mkdtempSync(join(tmpdir(), 'vasp-bench-lnbits-'))]
  const child = spawn(join(BIN, 'lnbits'), ['--host', '127.0.0.1', '--port', String(port)], {
    // It looks for its own files there.
    cwd: sitePackages(),
    env: {
      ...process.env,
      LNBITS_DATABASE_URL: (database.url ?? '').replace(/^postgresql:/, 'postgres:'),
      LNBITS_DATA_FOLDER: data,
      LNBITS_BACKEND_WALLET_CLASS: 'FakeWallet',
      LNBITS_ADMIN_UI: 'false',
      LNBITS_RATE_LIMIT_NO: '1000000000',
    },
    stdio: 'ignore',
    detached: true,
  })
  // It has a second process, in the same group.
  const kill = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  process.once('exit', kill)
  try {
    const origin = `http://127.0.0.1:${port}`
    await untilItAnswers(origin)
    const wallets = await makeWallets(origin, database)
    const target = {
      port,
      host: `127.0.0.1:${port}`,
      callers: CALLERS,
      pids: [child.pid ?? 0],
      databaseCpuSeconds: () => engine.cpuSeconds(),
    }
    const measured = (
      requests: (count: number) => HttpRequest[] | Promise<HttpRequest[]>,
      expects: number,
      most?: number,
    ): Measured => measuredOn({ ...target, expects }, requests, scale, most)
    const read = (path: string) => () => wallets.map(({ inkey }) => get(path, { 'X-Api-Key': inkey }))
    const invoices = wallets.map(({ inkey }) => send(inkey, { out: false, amount: 1, memo: 'Measured' }))
    const pay = async (count: number): Promise<HttpRequest[]> =>
      inParallel(count, async (index) => {
        const payer = wallets[(index + WALLETS / 2) % WALLETS]?.adminkey ?? ''
        const { path, method, headers, body = null } = invoices[index % WALLETS] ?? get('/')
        const answer = await fetch(`${origin}${path}`, { method, headers, body })
        return send(payer, { out: true, bolt11: Invoice.parse(await answer.json()).bolt11 })
      })
    const figures: Figure[] = []
    for (const [row, theirs] of [
      [BALANCE, measured(read('/api/v1/wallet'), 200)],
      [`GET /transactions, 20 of ${HISTORY}`, measured(read('/api/v1/payments?limit=20'), 200)],
      ['POST /invoice', measured(() => invoices, 201)],
      [PAYMENT, measured(pay, 201, MAX_PAYMENTS)],
    ] as const) {
      const both = [rowOn(side, rowNamed(row), CALLERS, scale), theirs]
      const [ours, other] = await measureInTurns(row, both, scale)
      const cpu = [ours, other].map((samples) => samples && spreadOf(samples.map(cpuMs)))
      figures.push({ what: row, spreads: [...cpu, ratioOf(ours, other)] })
    }
    return figures
  } finally {
    process.off('exit', kill)
    if (child.exitCode === null && child.signalCode === null) {
      kill()
      await once(child, 'exit')
    }
    rmSync(data, { recursive: true, force: true })
    await database.stop()
  }
}

/** Invoices are created beforehand, and LNbits needs longer for one than for anything else. */
const MAX_PAYMENTS = 200

function send(key: string, body: object): HttpRequest {
  const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' }
  return { method: 'POST', path: '/api/v1/payments', headers, body: JSON.stringify(body) }
}

function install(say: Scale['say']): void {
  if (existsSync(join(BIN, 'lnbits'))) return
  say('Installing LNbits (some minutes) …')
  rmSync(FOLDER, { recursive: true, force: true })
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', FOLDER],
    [join(BIN, 'pip'), 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES],
  ] as const) {
    const { status } = spawnSync(command, args, { stdio: 'ignore', timeout: INSTALL_MS })
    if (status !== 0) throw new Error('LNbits cannot be installed: it needs python3 with venv, and PyPI')
  }
}

function sitePackages(): string {
  const lib = join(FOLDER, 'lib')
  return join(lib, readdirSync(lib).find((name) => name.startsWith('python')) ?? '', 'site-packages')
}

async function untilItAnswers(origin: string): Promise<void> {
  const deadline = Date.now() + START_MS
  for (;;) {
    const signal = AbortSignal.timeout(5_000)
    const answer = await fetch(`${origin}/api/v1/health`, { signal }).catch(() => undefined)
    if (answer?.ok === true) return
    if (Date.now() > deadline) throw new Error('LNbits did not start')
    await sleep(200)
  }
}

/** Each wallet has money and a history, which only LNbits' administrator could give it otherwise. */
async function makeWallets(origin: string, { url }: Engine): Promise<Wallets> {
  const wallets = await inParallel(WALLETS, async (index) => {
    const answer = await fetch(`${origin}/api/v1/account`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: `wallet ${index}` }),
    })
    return Wallet.parse(await answer.json())
  })
  await onServer(url, async (run) => {
    // With a currency, each invoice asks exchange-rate services on the internet.
    await run('update wallets set currency = null')
    await run(
      `insert into apipayments (checking_id, payment_hash, wallet_id, amount, fee, bolt11, memo, extra, status, time, created_at, updated_at)
       select md5(id || n), md5(id || n), id, 1000000, 0, 'lnbc1', 'Measured', '{}', 'success', now(), now(), now()
       from wallets, generate_series(1, ${HISTORY}) n`,
    )
  })
  return wallets
}
