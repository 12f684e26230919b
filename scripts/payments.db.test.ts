import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { POST } from '@/app/-/payments/route'
import { isOperatorCredential, operatorCredential } from '@/lib/audit/operator-request'
import { operate } from '@/lib/payments/operator'
import { epochSeconds, systemClock } from '@/lib/platform/clock'
import { openDatabase } from '@/lib/platform/db/open-database'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { migratedDataDir } from '@/test/databases/migrated'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { scriptPath } from '@/test/programs/script'
import { newPayer, statesOf } from '@/test/vasp/leaving'
import { makeTestVasp } from '@/test/vasp/vasp'

const HASH = 'ab'.repeat(32)
const NODE = `02${'cd'.repeat(32)}`

interface Ran {
  readonly code: number
  readonly out: string
  readonly error: string
}

function runPayments(env: Readonly<Record<string, string>>, given: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const args = [scriptPath('scripts/payments.ts'), ...given]
    const { PATH = '', HOME = '' } = process.env
    execFile(process.execPath, args, { env: { NODE_ENV: 'test', PATH, HOME, ...env } }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, error: err }),
    )
  })
}

describe('npm run payments', () => {
  it.each([
    [[], 'Give one of --list, --fail and --accept.'],
    [['--list', `--fail=${HASH}`, '--because=x'], 'Give one of --list, --fail and --accept.'],
    [['--fail', HASH], '--because is missing.'],
    [[`--fail=${HASH}`, '--because='], '--because takes a reason: one line of at most 500 characters.'],
    [[`--fail=${HASH}`, '--because=a\nb'], '--because takes a reason: one line of at most 500 characters.'],
    [[`--fail=${HASH}`, '--because=x', '--by='], '--by takes a name: one line of at most 200 characters.'],
    [['--fail=short', '--because=x'], '--fail takes the payment hash of --list: 64 lower-case hex digits.'],
    [
      [`--fail=${HASH.toUpperCase()}`, '--because=x'],
      '--fail takes the payment hash of --list: 64 lower-case hex digits.',
    ],
    [
      ['--accept=me', '--sent=1', '--received=0', '--because=x'],
      '--accept takes the public key of a node: 66 lower-case hex digits, the first two 02 or 03.',
    ],
    [[`--accept=${NODE}`, '--received=0', '--because=x'], '--sent is missing.'],
    [[`--accept=${NODE}`, '--sent=1', '--because=x'], '--received is missing.'],
    [
      [`--accept=${NODE}`, '--sent=all', '--received=0', '--because=x'],
      '--sent takes millisatoshis as npm run audit names them, such as 25000.',
    ],
    [
      [`--accept=${NODE}`, '--sent=1', '--received=-1', '--because=x'],
      '--received takes millisatoshis as npm run audit names them, such as 25000.',
    ],
    [['--everything'], "Unknown option '--everything'."],
    [['list'], "Unexpected argument 'list'."],
  ])('opens no connection and names the wrong argument: %j', async (given, complaint) => {
    const { code, out, error } = await runPayments(
      { DATA_DIR: '/nonexistent', PORT: '9', NEXTAUTH_URL: 'http://127.0.0.1:9' },
      given,
    )
    expect([code, out]).toEqual([2, ''])
    expect(error).toBe(`${complaint} For help, run: npm run payments -- --help\n`)
  })

  it.each([
    [['--list'], { do: 'list' }],
    [[`--fail=${HASH}`], { do: 'fail', paymentHash: HASH, because: 'it is gone', by: 'ops' }],
    [
      [`--accept=${NODE}`, '--sent=17000', '--received=0'],
      { do: 'accept', peer: NODE, sentMsats: '17000', receivedMsats: '0', because: 'it is gone', by: 'ops' },
    ],
  ])('sends the running server the request, signed with the secret: %s', async (options, body) => {
    const secret = randomBytes(32).toString('hex')
    const asked: { readonly request: IncomingMessage; readonly body: string }[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        asked.push({ request, body: Buffer.concat(chunks).toString() })
        response.end(JSON.stringify({ done: false, lines: ['not this time'] }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const env = { DATA_DIR: '/nonexistent', PORT: String(port), NEXTAUTH_SECRET: secret }
    const answer = await runPayments(env, [...options, '--because=it is gone', '--by=ops'])
    server.close()
    expect(answer).toMatchObject({ code: 1, out: '', error: expect.stringContaining('not this time') as string })
    expect(asked.map(({ request }) => `${request.method} ${request.url}`)).toEqual(['POST /-/payments'])
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual(body)
    const { authorization = '' } = asked[0]?.request.headers ?? {}
    expect(
      isOperatorCredential(authorization, secret, epochSeconds(systemClock.now()), asked[0]?.body ?? '', 'payments'),
    ).toBe(true)
    expect(authorization).not.toContain(secret)
  })

  it('opens the database when no server runs, and says that no payment is pending', async () => {
    const dataDir = await migratedDataDir()
    await (await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} })).close()
    const env = {
      DATA_DIR: dataDir,
      PORT: '9',
      VASP_DOMAIN: 'localhost:9',
      NEXTAUTH_SECRET: randomBytes(32).toString('hex'),
    }
    expect(await runPayments(env, ['--list'])).toMatchObject({
      code: 0,
      out: 'No payment to another node is pending.\n',
    })
    const refused = await runPayments(env, [`--fail=${HASH}`, '--because=it is gone'])
    expect(refused).toMatchObject({ code: 1, error: 'No payment to another node has this hash.\n' })
    rmSync(dataDir, { recursive: true, force: true })
  })
})

describeOnBothEngines('POST /-/payments', (db) => {
  afterAll(() => void processSingletons().delete('application'))

  async function ask(
    vasp: Awaited<ReturnType<typeof makeTestVasp>>,
    body: string,
    signedBody = body,
  ): Promise<{ readonly status: number; readonly answer: string }> {
    processSingletons().set('application', vasp.app)
    const { settings } = vasp.app
    const Authorization = operatorCredential(
      settings.nextAuthSecret,
      epochSeconds(systemClock.now()),
      signedBody,
      'payments',
    )
    const init = { method: 'POST', body, headers: { Authorization } }
    const response = await POST(new Request(`${settings.publicOrigin}/-/payments`, init))
    return { status: response.status, answer: await response.text() }
  }

  it('rejects a request that is not signed with the secret or cannot be read', async () => {
    const vasp = await makeTestVasp(db())
    const list = '{"do":"list"}'
    expect(await ask(vasp, list)).toMatchObject({ status: 200 })
    expect(await ask(vasp, list, '{"do":"list" }')).toMatchObject({ status: 401 })
    for (const body of ['', '{', '{}', '{"do":"pay"}', `{"do":"fail","paymentHash":"${HASH}"}`])
      expect(await ask(vasp, body)).toMatchObject({ status: 400 })
    const bare = new Request('http://localhost:3000/-/payments', { method: 'POST', body: list })
    expect((await POST(bare)).status).toBe(401)
  })

  it('gives up only a payment whose node is not in the settings of this server', async () => {
    const node = makeScriptedNode()
    node.script = 'in flight'
    const vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, node)
    const payer = await newPayer(vasp, { SAT: 5_000_000n })
    const { invoice, paymentHash } = node.invoice(1_000_000n)
    expect((await payer.pay(invoice)).status).toBe(504)
    const body = JSON.stringify({ do: 'fail', paymentHash, by: 'ops', because: 'it is gone' })
    expect((await ask(vasp, body)).answer).toContain('LIGHTNING_PEERS')
    expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
    // A stopped instance, with a node that names its accounts only while it runs.
    const request = { do: 'fail', paymentHash, by: 'ops', because: 'it is gone' } as const
    const stopped = await operate({ db: db(), log: vasp.app.log, accounts: undefined }, request)
    expect(stopped).toMatchObject({ done: false, lines: [expect.stringContaining('Start the server')] })
    expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
    expect((await ask(await makeTestVasp(db(), {}, vasp.pair, { ...node, accounts: [] }), body)).answer).toContain(
      'was written off',
    )
    expect(await payer.balances()).toEqual([5_000_000n, 0n])
  })
})
