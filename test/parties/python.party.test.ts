import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodePublicKey } from '@/lib/lightning/node-key'
import { fetchToken, signIn } from '../../sandbox/shared/fetch-token'
import { freePort } from '../programs/free-port'
import { startStack, userOf, type Stack } from '../stack/stack'
import { newNodeSecret } from '../vasp/keys'
import { startPartyNode, type PartyNode } from './party-node'
import { startPythonParty, type Keys, type PythonParty } from './python-party'

/** Millisatoshis for a cent, and the fee for each payment, as in `python/vasp.py`. */
const [RATE, FEE_MSATS] = [10_000, 1_000]
/** The success action of `python/vasp.py`. */
const THANKS = 'Thank you from Ann'
const PERMISSIONS = ['get_balance', 'lookup_user', 'fetch_quote', 'execute_quote']

describe('a VASP on the Python SDK', () => {
  let stack: Stack
  let node: PartyNode
  let token = ''
  let cookie = ''
  const parties = new Map<Keys, PythonParty>()
  const party = (keys: Keys = 'raw'): PythonParty => parties.get(keys) as PythonParty

  beforeAll(async () => {
    node = await startPartyNode()
    const secret = newNodeSecret()
    for (const keys of ['raw', 'certificates'] as const)
      parties.set(keys, await startPythonParty(await freePort(), node.origin, keys))
    const settings = {
      LIGHTNING_NODE_KEY: secret,
      LIGHTNING_PEERS: `${node.publicKeyHex}@${node.origin}`,
      UMA_LOCAL_PEERS: [...parties.values()].map(({ domain }) => domain).join(),
    }
    stack = await startStack(settings, 'server.js', { alone: true })
    node.meet(nodePublicKey(secret), stack.vaspOrigin)
    token = await fetchToken({ ...userOf(stack), permissions: PERMISSIONS })
    cookie = await signIn(userOf(stack))
  })
  afterAll(async () => {
    await Promise.all([stack, ...parties.values()].map((each) => each?.stop()))
    node?.stop()
  })

  const call = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const answer = await fetch(`${stack.vaspOrigin}/umanwc/v1${path}`, { ...init, headers })
    const json = (await answer.json()) as Record<string, unknown>
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(json)}`)
    return json
  }
  const cents = async (): Promise<number> => (await call('/balance?currency_code=USD')).balance as number
  const alice = (): string => `$alice@${new URL(stack.vaspOrigin).host}`
  /** Posts a form of Alice. Returns the page to which the answer leads. */
  const submit = async (path: string, fields: Readonly<Record<string, string>>): Promise<string> => {
    const answer = await fetch(stack.vaspOrigin + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: cookie, Origin: stack.vaspOrigin },
      body: new URLSearchParams({ form_user: 'alice', ...fields }),
    })
    return answer.headers.get('location') ?? `${answer.status} ${await answer.text()}`
  }
  const quote = (receiver: string, side: string, amount: number) =>
    call(
      `/quote/lud16?${new URLSearchParams({
        receiver_address: receiver,
        sending_currency_code: 'USD',
        receiving_currency_code: 'USD',
        locked_currency_side: side,
        locked_currency_amount: String(amount),
      }).toString()}`,
    )

  /** Waits for the callbacks about these payments. A callback names the payment in place of a transaction. */
  const toldAbout = (keys: Keys, hashes: readonly string[]) =>
    expect
      .poll(async () => {
        const callbacks = (await party(keys).seen()).filter(({ what }) => what === 'callback')
        return hashes.map((hash) => callbacks.find(({ utxos }) => JSON.stringify(utxos).includes(`"${hash}:0"`))?.from)
      })
      .toEqual(hashes.map(() => new URL(stack.vaspOrigin).host))

  describe('as receiver', () => {
    it.each([
      ['raw', '$ann', 1],
      ['certificates', '$ann', 1],
      ['raw', '$old', 0],
    ] as const)('with keys as %s, is paid at %s in version %i', async (keys, name, version) => {
      const asked = party(keys)
      const earlier = (await asked.seen()).length
      const hashes: string[] = []
      for (const side of ['receiving', 'sending']) {
        const before = await cents()
        const { payment_hash, ...offer } = await quote(`${name}@${asked.domain}`, side, 250)
        expect(offer).toMatchObject({
          total_sending_amount: side === 'sending' ? 250 : 251,
          total_receiving_amount: side === 'sending' ? 249 : 250,
        })
        const hash = String(payment_hash)
        expect((await call(`/quote/${hash}`, {})).preimage).toMatch(/^[0-9a-f]{64}$/)
        expect(before - (await cents())).toBe(offer.total_sending_amount)
        hashes.push(hash)
      }
      await toldAbout(keys, hashes)
      const messages = (await asked.seen()).slice(earlier)
      const lookups = messages.filter(({ what }) => what === 'lookup')
      expect(lookups.map((lookup) => lookup.version)).toEqual(version === 1 ? ['1.0', '1.0'] : ['0.3', '0.3'])
      const requests = messages.filter(({ what }) => what === 'pay request')
      // Version 0 cannot lock what is sent: the second request is for the amount less the fee.
      expect(requests).toHaveLength(version === 1 ? 2 : 3)
      for (const request of requests) {
        expect(request).toMatchObject({ version, payer: alice() })
        expect(request.travel_rule).toContain('Alice')
      }
    })

    it('is paid by its UMA invoice', async () => {
      const before = await cents()
      const { invoice } = await party().order('invoice', { amount: 300 })
      const page = await submit('/wallets/send/uma', { invoice: String(invoice), wallet: 'USD' })
      const hash = /\/wallets\/quotes\/([0-9a-f]{64})$/.exec(page)?.[1]
      expect(hash, page).toBeDefined()
      expect(await submit('/wallets/send/pay', { payment_hash: hash ?? '' })).toContain(`/wallets/sent/${hash}`)
      expect(before - (await cents())).toBe(301)
      const sent = await fetch(`${stack.vaspOrigin}/wallets/sent/${hash}`, { headers: { Cookie: cookie } })
      expect(await sent.text()).toContain(THANKS)
    })
  })

  describe('as sender', () => {
    it.each([
      ['raw', undefined, 1],
      ['certificates', undefined, 1],
      ['raw', '0.3', 0],
    ] as const)('with keys as %s, asking for version %s, pays in version %i', async (keys, version, major) => {
      const hashes: string[] = []
      for (const lock of major === 1 ? ['receiving', 'sending'] : ['receiving']) {
        const before = await cents()
        const amount = lock === 'receiving' ? 125 : 125 * RATE
        const paid = await party(keys).order('send', { to: alice(), amount, lock, version })
        // The answer of version 0 does not say what the receiver gets.
        const receives = major === 1 ? 125 : null
        expect(paid).toMatchObject({ receives, fee_msats: 0, amount_msats: 125 * RATE, answer_version: major })
        await expect.poll(async () => (await cents()) - before).toBe(125)
        hashes.push(String(paid.payment_hash))
      }
      await toldAbout(keys, hashes)
    })

    it('settles a request for payment that it received', async () => {
      const asked = party()
      const before = await cents()
      const fields = { 'uma-currency': 'USD', 'uma-amount': '4.50', payer: `$ann@${asked.domain}` }
      const page = await submit('/wallets/receive/uma', fields)
      expect(page).toContain('/invoices/uma/')
      const request = (await asked.seen()).find(({ what }) => what === 'request')
      expect(await asked.order('pay', { invoice: request?.invoice })).toMatchObject({
        receiver: alice(),
        receives: 450,
      })
      await expect.poll(async () => (await cents()) - before).toBe(450)
      const state = await fetch(`${stack.vaspOrigin}${page}/state`, { headers: { Cookie: cookie } })
      expect(await state.json()).toEqual({ state: 'paid' })
    })

    it('is refused when it signs for another domain', async () => {
      const order = { to: alice(), amount: 100, as: party('certificates').domain }
      await expect(party().order('send', order)).rejects.toThrow('INVALID_SIGNATURE')
    })
  })

  it('has the same totals as the product, on both nodes', async () => {
    const { received, sent } = await node.totals()
    expect(received).toEqual({ here: received.there, there: received.here })
    expect(sent).toEqual({ here: sent.there, there: sent.here })
    expect([received.here, sent.here].every((msats) => msats > BigInt(FEE_MSATS))).toBe(true)
  })
})
