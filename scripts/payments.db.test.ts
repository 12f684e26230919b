import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { POST } from '@/app/-/payments/route'
import { isOperatorCredential, operatorCredential } from '@/lib/audit/operator-request'
import type { LightningNode } from '@/lib/lightning/node'
import { operate } from '@/lib/payments/operator'
import { epochSeconds, systemClock } from '@/lib/platform/clock'
import { openDatabase } from '@/lib/platform/db/open-database'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { migratedDataDir } from '@/test/databases/migrated'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { runScript, type Ran } from '@/test/programs/run-script'
import { expectSound, newPayer, statesOf } from '@/test/vasp/leaving'
import { makeTestVasp } from '@/test/vasp/vasp'

const HASH = 'ab'.repeat(32)

const runPayments = (env: Readonly<Record<string, string>>, args: readonly string[]): Promise<Ran> =>
  runScript('scripts/payments.ts', env, args)

describe('npm run payments', () => {
  it('sends the running server the request, signed with the secret', async () => {
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
    const answer = await runPayments(env, [`--fail=${HASH}`, '--because=it is gone', '--by=ops'])
    server.close()
    expect(answer).toMatchObject({ code: 1, out: '', err: expect.stringContaining('not this time') as string })
    expect(asked.map(({ request }) => `${request.method} ${request.url}`)).toEqual(['POST /-/payments'])
    const request = { do: 'fail', paymentHash: HASH, because: 'it is gone', by: 'ops' }
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual(request)
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
      out: 'No payment to another node is pending.',
    })
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
    const unknown = JSON.stringify({ do: 'fail', paymentHash: HASH, by: 'ops', because: 'it is gone' })
    expect((await ask(vasp, unknown)).answer).toContain('No payment to another node has this hash.')
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

  it('gives up a payment of a present node only when the node has lost it', async () => {
    const node = makeScriptedNode()
    node.script = 'in flight'
    let isStranded: NonNullable<LightningNode['isStranded']> = () => Promise.resolve(false)
    const losing = { ...node, isStranded: (asked: Parameters<typeof isStranded>[0]) => isStranded(asked) }
    const vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, losing)
    const payer = await newPayer(vasp, { SAT: 5_000_000n })
    const { invoice, paymentHash } = node.invoice(1_000_000n)
    expect((await payer.pay(invoice)).status).toBe(504)
    const body = JSON.stringify({ do: 'fail', paymentHash, by: 'ops', because: 'no channel has it' })
    expect((await ask(vasp, body)).answer).toContain('may still report the result')
    isStranded = () => Promise.reject(new Error('away'))
    expect((await ask(vasp, body)).answer).toContain('may still report the result')
    isStranded = (asked) => Promise.resolve(asked.paymentHash === paymentHash)
    await expect.poll(async () => (await ask(vasp, body)).answer, { timeout: 20_000 }).toContain('was written off')
    expect(await payer.balances()).toEqual([5_000_000n, 0n])
    expect(await statesOf(db(), paymentHash)).toEqual(['failed'])
    await expectSound(db())
  })
})
