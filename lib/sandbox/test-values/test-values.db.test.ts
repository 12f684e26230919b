import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '@/lib/platform/clock'
import { makeLog } from '@/lib/platform/log'
import { makeUmaServer } from '@/lib/uma/server/server'
import { describeOnBothEngines } from '@/test/databases/databases'
import { withMovableClock, type MovableClock } from '@/test/databases/still-clock'
import { newNodeSecret } from '@/test/vasp/keys'
import { expectSound } from '@/test/vasp/leaving'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeVaspWithTestValues } from '@/test/vasp/test-values'
import { makeTestVasp, withParts, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { TEST_RECIPIENTS } from './recipients'
import { makeTestNode } from './test-node'

const COMMANDS = ['lookup_user', 'fetch_quote', 'execute_quote', 'pay_to_address', 'make_invoice', 'lookup_invoice']
const OPENING = 1_000_000n
const AMOUNT = 1_000n
const PAID = { status: 200, body: { preimage: expect.stringMatching(/^[0-9a-f]{64}$/) } }

const failed = (code: string, status = 400) => ({ status, body: { code } })

/** The delays in milliseconds that lookups asked for. They end at once. */
const delays = vi.hoisted(() => [] as number[])
vi.mock(import('node:timers/promises'), async (original) => {
  const real = await original()
  const setTimeout: typeof real.setTimeout = (ms, value, options) => {
    if (options?.ref !== false) return real.setTimeout(ms, value, options)
    delays.push(ms ?? 0)
    return Promise.resolve(value as never)
  }
  return { ...real, setTimeout }
})

describeOnBothEngines('Test recipients', (db) => {
  let vasp: TestVasp
  let payer: string
  let token: string
  /** How far the clock of the test recipients is behind. */
  let behindMs = 0
  const clock = { now: () => new Date(Date.now() - behindMs) }
  /** The test node's clock. */
  let node: MovableClock

  beforeAll(async () => {
    node = withMovableClock(db())
    const keys = { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret() }
    const env = { PAYMENT_WAIT_SECONDS: '20', QUOTE_SECONDS: '12', ...keys }
    vasp = await makeVaspWithTestValues(db(), env, { clock, nodeDb: node.db })
    vasp.app.paymentWorker.keepRunning()
  })
  afterAll(() => vasp.app.paymentWorker.stop())
  afterEach(() => {
    node.now = undefined
    return expectSound(db())
  })

  const user = async (): Promise<void> => {
    payer = await newUser(vasp, { USD: OPENING })
    token = await vasp.connectionToken(payer, COMMANDS)
  }
  const address = (name: string): string => `$${name}@localhost:3000`
  const lookUp = (name: string): Promise<Answer> =>
    vasp.get(`/receiver/lud16/${encodeURIComponent(address(name))}`, token)
  const quote = (name: string): Promise<Answer> =>
    vasp.get(
      `/quote/lud16?${new URLSearchParams({
        sending_currency_code: 'USD',
        receiving_currency_code: 'SAT',
        locked_currency_amount: String(AMOUNT),
        locked_currency_side: 'sending',
        receiver_address: address(name),
      })}`,
      token,
    )
  const execute = ({ body }: Answer): Promise<Answer> => vasp.post(`/quote/${String(body.payment_hash)}`, token, {})
  const payToAddress = (name: string): Promise<Answer> =>
    vasp.post('/payments/lud16', token, {
      receiver_address: address(name),
      sending_currency_code: 'USD',
      sending_currency_amount: Number(AMOUNT),
      receiving_currency_code: 'SAT',
    })
  const balance = async () => {
    const { available, held } = await walletOf(db(), payer, 'USD')
    return { available, held }
  }
  const left = (available: bigint, held = 0n) => ({ available, held })
  /** A time of the payer's only payment or of its quote, plus milliseconds. */
  const timeOf = async (column: 'p.created_at' | 'q.expires_at', plusMs: number): Promise<Date> => {
    const text = `select floor(extract(epoch from ${column}) * 1000)::float8 as ms
                  from payments p join quotes q on q.id = p.quote_id where p.user_id = $1`
    const [row] = await db().query<{ ms: number }>({ name: `test_time_${column}`, text }, [payer])
    return new Date((row?.ms ?? NaN) + plusMs)
  }
  /** Asks the node about pending payments at this time, without waiting until they are due. */
  const askAt = async (now: Date): Promise<void> => {
    node.now = now
    const text = `update payments set lease_expires_at = now() - interval '1 second' where state = 'sending'`
    await db().query({ name: 'test_end_leases', text })
    await vasp.app.paymentWorker.reconcile()
  }
  /** Resolves when the node has answered twice at this time: it is asked again only if the first answer was not final. */
  const untilAskedAt = async (now: Date): Promise<void> => {
    const { reads } = node
    while (node.reads < reads + 2) await askAt(now)
  }

  it('$declined can be quoted, its payments fail, and the hold is released', async () => {
    await user()
    const quoted = await quote('declined')
    expect(quoted.status).toBe(200)
    expect(await execute(quoted)).toMatchObject(failed('PAYMENT_FAILED'))
    expect(await payToAddress('declined')).toMatchObject(failed('PAYMENT_FAILED'))
    expect(await balance()).toEqual(left(OPENING))
  })

  it('$blocked is restricted in every command', async () => {
    await user()
    for (const answer of [await lookUp('blocked'), await quote('blocked'), await payToAddress('blocked')])
      expect(answer).toMatchObject(failed('RESTRICTED', 403))
  })

  it('$unreachable does not answer for two seconds', async () => {
    await user()
    delays.length = 0
    const answer = await lookUp('unreachable')
    expect(answer).toMatchObject(failed('OTHER'))
    expect(answer.body.message).toContain('VASP did not answer')
    expect(delays).toEqual([2_000])
  })

  it('$nobody is not found', async () => {
    await user()
    expect(await lookUp('nobody')).toMatchObject(failed('NOT_FOUND', 404))
    expect(await payToAddress('nobody')).toMatchObject(failed('NOT_FOUND', 404))
  })

  it('$slow keeps a payment pending for eight seconds with the money on hold, which is then debited once', async () => {
    await user()
    const paying = payToAddress('slow')
    await expect.poll(balance).toEqual(left(OPENING - AMOUNT, AMOUNT))
    await untilAskedAt(await timeOf('p.created_at', 7_999))
    expect(await balance()).toEqual(left(OPENING - AMOUNT, AMOUNT))
    await askAt(await timeOf('p.created_at', 8_001))
    expect(await paying).toMatchObject(PAID)
    expect(await balance()).toEqual(left(OPENING - AMOUNT))
  })

  it('$flaky fails, then accepts a retry of the same quote, which is debited once', async () => {
    await user()
    const quoted = await quote('flaky')
    expect(await execute(quoted)).toMatchObject(failed('PAYMENT_FAILED'))
    expect(await balance()).toEqual(left(OPENING))
    expect(await execute(quoted)).toMatchObject(PAID)
    expect(await execute(quoted)).toMatchObject(PAID)
    expect(await balance()).toEqual(left(OPENING - AMOUNT))
  })

  it('$flaky also accepts a retry of pay_to_address, which has a new quote, and then fails again', async () => {
    await user()
    expect(await payToAddress('flaky')).toMatchObject(failed('PAYMENT_FAILED'))
    expect(await payToAddress('flaky')).toMatchObject(PAID)
    expect(await payToAddress('flaky')).toMatchObject(failed('PAYMENT_FAILED'))
    expect(await balance()).toEqual(left(OPENING - AMOUNT))
  })

  it('$held keeps the money on hold until the quote expires, then returns it, and logs one line', async () => {
    await user()
    vasp.logged.length = 0
    const paying = payToAddress('held')
    await expect.poll(balance).toEqual(left(OPENING - AMOUNT, AMOUNT))
    await untilAskedAt(await timeOf('q.expires_at', -1))
    expect(await balance()).toEqual(left(OPENING - AMOUNT, AMOUNT))
    await askAt(await timeOf('q.expires_at', 1))
    expect(await paying).toMatchObject(failed('PAYMENT_FAILED'))
    expect(await balance()).toEqual(left(OPENING))
    // The first answer that is not final is logged, and no later one.
    expect(vasp.logged.filter((line) => line.includes('outcome of a payment is not known'))).toHaveLength(1)
  })

  it('$satonly and $threecoins accept one and three currencies, and can be paid', async () => {
    await user()
    const codes = async (name: string) =>
      ((await lookUp(name)).body.currencies as { currency: { code: string } }[]).map(({ currency }) => currency.code)
    expect(await codes('satonly')).toEqual(['SAT'])
    expect(await codes('threecoins')).toEqual(['EUR', 'USD', 'SAT'])
    expect(await payToAddress('satonly')).toMatchObject(PAID)
    expect(await payToAddress('threecoins')).toMatchObject(PAID)
    expect(await balance()).toEqual(left(OPENING - 2n * AMOUNT))
  })

  it('$blink has quotes that are valid for five seconds, and are refused afterwards', async () => {
    await user()
    const inTime = await quote('blink')
    expect(Number(inTime.body.expires_at) - Number(inTime.body.created_at)).toBeLessThanOrEqual(5)
    expect(await execute(inTime)).toMatchObject(PAID)
    behindMs = 6_000
    const late = await quote('blink')
    behindMs = 0
    expect(await execute(late)).toMatchObject(failed('OTHER'))
    expect(await balance()).toEqual(left(OPENING - AMOUNT))
  })

  it('can be paid at the same moment: each payment is debited once or returned', async () => {
    await user()
    const names = ['declined', 'slow', 'flaky', 'held', 'satonly', 'threecoins', 'blink', 'flaky', 'slow', 'declined']
    const paying = Promise.all(names.map(payToAddress))
    // Two payments to $slow and one to $held are pending.
    await expect.poll(async () => (await balance()).held).toBe(3n * AMOUNT)
    await askAt(new Date(Date.now() + 20_000))
    const answers = await paying
    const paid = answers.filter(({ status }) => status === 200).length
    expect(paid).toBeGreaterThanOrEqual(5)
    expect(await balance()).toEqual(left(OPENING - BigInt(paid) * AMOUNT))
  })

  describe('in a lookup by another VASP', () => {
    const plain = async (name: string) => {
      const path = `http://localhost:3000/.well-known/lnurlp/${name}`
      const response = await makeUmaServer(vasp.app)(new Request(path))
      return [response.status, ((await response.json()) as { code: string }).code]
    }
    it('are refused, missing, or payable by users of this VASP only', async () => {
      expect(await plain('nobody')).toEqual([404, 'USER_NOT_FOUND'])
      expect(await plain('blocked')).toEqual([403, 'FORBIDDEN'])
      expect(await plain('unreachable')).toEqual([424, 'LNURLP_REQUEST_FAILED'])
      for (const name of ['declined', 'slow', 'flaky', 'held', 'satonly', 'threecoins', 'blink'])
        expect(await plain(name)).toEqual([403, 'USER_NOT_READY'])
    })
  })

  it('are unknown users without the sandbox tools', async () => {
    await user()
    const { findRecipient } = (await makeTestVasp(db())).app
    const off = withParts(vasp, { findRecipient })
    for (const { name } of TEST_RECIPIENTS)
      expect(await off.get(`/receiver/lud16/${encodeURIComponent(address(name))}`, token)).toMatchObject(
        failed('NOT_FOUND', 404),
      )
  })
})

describeOnBothEngines('Test memos', (db) => {
  let vasp: TestVasp
  const logged: string[] = []

  beforeAll(async () => {
    const log = makeLog('info', 'test', { write: (line) => void logged.push(line) })
    const keys = { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret() }
    vasp = await makeVaspWithTestValues(db(), keys, { log })
  })
  beforeEach(() => {
    logged.length = 0
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => void vi.useRealTimers())
  afterEach(() => expectSound(db()))

  /** Resolves when the test payer has logged this as often. */
  const untilLogged = async (message: string, times: number): Promise<void> =>
    expect.poll(() => logged.filter((line) => line.includes(message))).toHaveLength(times)
  const make = async (token: string, description: string, amount = 5_000_000): Promise<Answer> =>
    vasp.post('/invoice', token, { amount, description })
  const settled = async (token: string, { body }: Answer): Promise<boolean> => {
    const { body: found } = await vasp.get(`/invoices/${String(body.payment_hash)}`, token)
    return found.settled_at != null
  }
  const owner = async () => {
    const username = await newUser(vasp, { SAT: 0n })
    return { username, token: await vasp.connectionToken(username, COMMANDS) }
  }
  const balance = async (username: string): Promise<bigint> => (await walletOf(db(), username, 'SAT')).available

  it('[expired]: the invoice has expired when it is returned', async () => {
    const { token } = await owner()
    const { body } = await make(token, 'Tea [expired]')
    expect(Number(body.expires_at) * 1_000).toBeLessThanOrEqual(Date.now())
  })

  it('[autopay 1s]: the invoice is paid after a second, once', async () => {
    const { username, token } = await owner()
    const invoice = await make(token, 'Tea [autopay 1s]')
    await vi.advanceTimersByTimeAsync(999)
    expect(await settled(token, invoice)).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await expect.poll(() => settled(token, invoice)).toBe(true)
    expect(await balance(username)).toBe(5_000_000n)
  })

  it('[autopay 1s]: nothing is paid above the amount of a faucet request, or into a full wallet', async () => {
    const poor = await owner()
    const tooMuch = await make(poor.token, '[autopay 1s]', 200_000_000)
    const rich = await newUser(vasp, { SAT: 20_000_000_000n })
    const richToken = await vasp.connectionToken(rich, COMMANDS)
    const full = await make(richToken, '[autopay 1s]')
    await vi.advanceTimersByTimeAsync(1_000)
    await untilLogged('does not pay an invoice above the limits', 2)
    expect([await settled(poor.token, tooMuch), await settled(richToken, full)]).toEqual([false, false])
  })

  it('[held]: a payment from a peer is not received, and a user of this VASP pays at once', async () => {
    const { username, token } = await owner()
    const held = await make(token, 'Tea [held] [autopay 1s]')
    const plain = await make(token, 'Tea [autopay 1s]')
    await vi.advanceTimersByTimeAsync(1_000)
    await expect.poll(() => settled(token, plain)).toBe(true)
    await untilLogged('the test payer could not pay', 1)
    expect(await settled(token, held)).toBe(false)
    expect(await balance(username)).toBe(5_000_000n)
    const payer = await vasp.connectionToken(await newUser(vasp, { SAT: 10_000_000n }), ['pay_invoice'])
    expect(await vasp.post('/payments/bolt11', payer, { invoice: held.body.invoice })).toMatchObject(PAID)
    expect(await balance(username)).toBe(10_000_000n)
  })

  it('do nothing in a payer’s comment', async () => {
    const { username } = await owner()
    const payer = await newUser(vasp, { SAT: OPENING * 1_000n })
    const token = await vasp.connectionToken(payer, COMMANDS)
    const paid = await vasp.post('/payments/lud16', token, {
      receiver_address: `$${username}@localhost:3000`,
      sending_currency_code: 'SAT',
      sending_currency_amount: 1_000,
      receiving_currency_code: 'SAT',
      comment: '[expired] [autopay 1s]',
    })
    expect(paid.status).toBe(200)
    expect((await invoiceOf(vasp, username, 'SAT')).expiresAtSeconds).toBeGreaterThan(Date.now() / 1_000 + 60)
  })

  it('do nothing in the comment of a stranger: a peer pays the requested invoice at once', async () => {
    const { username } = await owner()
    const query = new URLSearchParams({ amount: '7000000', comment: 'For lunch [HELD]' })
    const asked = await makeUmaServer(vasp.app)(new Request(`http://localhost:3000/uma/pay/${username}?${query}`))
    const { pr, verify } = (await asked.json()) as { pr: string; verify: string }
    const { simulatedNode, settings } = vasp.app
    if (simulatedNode === undefined) throw new Error('the node is not a simulated node')
    const { lightningNodeKeyHex: nodeSecretHex = '', publicOrigin } = settings
    const peer = makeTestNode({ db: db(), clock: systemClock, nodeSecretHex, publicOrigin })
    const paymentHash = new URL(verify).pathname.split('/').at(-1) ?? ''
    const answer = await peer.pay(simulatedNode, { invoice: pr, paymentHash, amountMsats: 7_000_000n })
    expect(answer.state).toBe('received')
    expect(await balance(username)).toBe(7_000_000n)
  })
})
