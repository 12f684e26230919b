import { createServer, type AddressInfo } from 'node:net'
import { generateSecretKey } from 'nostr-tools/pure'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeWallet, type Answer, type FakeWallet } from '@/test/gateway/fake-wallet'
import { startRelay, type RunningRelay } from '../relay/server'
import { CallLog } from './call-log'
import { encryptionOf } from './envelope'
import { NwcClient, type Outcome } from './nwc'
import { explainWalletError, mayHaveBeenPaid } from './nwc-problem'
import { RelayLinks } from './relay-links'

let relay: RunningRelay
let links: RelayLinks
let wallet: FakeWallet | undefined
const callLog = new CallLog()
const secret = Buffer.from(generateSecretKey()).toString('hex')

beforeEach(async () => {
  relay = await startRelay(0)
  links = new RelayLinks(relay.url, () => undefined)
  links.own.start()
})
afterEach(async () => {
  links.stop()
  wallet?.close()
  wallet = undefined
  await relay.close()
})

async function start(answer: Answer, encryption?: string): Promise<FakeWallet> {
  wallet = fakeWallet(relay.url, answer, encryption)
  await expect.poll(() => relay.hub.store.size).toBe(1)
  return wallet
}
function call(method: string, params: object = {}, timeoutMs = 30_000, to = wallet?.publicKey ?? ''): Promise<Outcome> {
  const open = (text: string) =>
    callLog.recorder('me')('A test', 'relay', text, { command: method, connectionId: 'one' })
  return new NwcClient(links, timeoutMs).call({ wallet: to, relay: relay.url, secret }, { method, params }, open)
}
const codeOf = (outcome: Outcome): string => ('problem' in outcome ? outcome.problem.code : 'no problem')

describe('the NWC client', () => {
  it('uses NIP-04 when the info event names no encryption', () => {
    expect(encryptionOf({ tags: [] })).toBe('nip04')
  })

  it.each([
    ['nip44_v2 nip04', 'nip44_v2'],
    ['nip44_v2', 'nip44_v2'],
    ['nip04', undefined],
    ['', undefined],
  ])('gets an answer from a wallet that names the encryption "%s"', async (named, tag) => {
    const { requests } = await start(({ method, params }) => ({ result_type: method, result: { echo: params } }), named)
    expect(await call('get_balance', { a: 1 })).toEqual({ result: { echo: { a: 1 } } })
    const [request] = requests
    expect(request?.tags.find(([name]) => name === 'encryption')?.[1]).toBe(tag)
    expect(request?.content.includes('?iv=')).toBe(tag === undefined)
    expect(request?.tags.find(([name]) => name === 'expiration')).toBeDefined()
  })

  it.each(['nip44_v2', 'nip04'])('returns an error unchanged, encrypted with %s', async (named) => {
    const error = { code: 'QUOTA_EXCEEDED', message: 'The budget has 3.00 USD left.' }
    await start(({ method }) => ({ result_type: method, error }), named)
    const outcome = await call('pay_invoice', { invoice: 'lnbcrt1' })
    expect(outcome).toMatchObject({ problem: { ...error, side: 'person' } })
    const [entry] = callLog.of('me')
    expect(entry?.problem?.message).toBe(error.message)
    expect(entry?.response).toContain('QUOTA_EXCEEDED')
  })

  it('reports that no answer came in time, and that a payment may have been made', async () => {
    await start(() => undefined)
    const outcome = await call('pay_invoice', {}, 2_000)
    expect(outcome).toMatchObject({ problem: { code: 'NO_ANSWER', side: 'gateway' } })
    expect('problem' in outcome && mayHaveBeenPaid(outcome.problem)).toBe(true)
  })

  it('reports an answer that cannot be read', async () => {
    await start(() => 'not encrypted')
    expect(codeOf(await call('get_info'))).toBe('UNREADABLE')
  })

  it('reports an answer that is not a reply', async () => {
    await start(() => ({ result_type: 5 }))
    expect(codeOf(await call('get_info'))).toBe('UNREADABLE')
  })

  it('sends nothing to a wallet that has not announced itself', async () => {
    const { requests } = await start(() => ({ result: {} }))
    expect(codeOf(await call('get_info', {}, 1_000, 'ab'.repeat(32)))).toBe('NO_WALLET')
    expect(requests).toHaveLength(0)
  })

  it('handles thirty concurrent requests, although the relay allows twenty subscriptions', async () => {
    await start(({ params }) => ({ result_type: 'x', result: params }))
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => call('get_info', { n })))
    expect(all).toEqual(Array.from({ length: 30 }, (_, n) => ({ result: { n } })))
  })
})

describe('a relay that goes away', () => {
  it('is reported before anything is sent, and the next call works when it is back', async () => {
    await start(({ params }) => ({ result_type: 'x', result: params }))
    expect(await call('get_info', { n: 1 })).toEqual({ result: { n: 1 } })
    await relay.close()
    await expect.poll(() => links.own.isUp).toBe(false)
    const down = await call('pay_invoice')
    expect(codeOf(down)).toBe('RELAY_DOWN')
    expect('problem' in down && mayHaveBeenPaid(down.problem)).toBe(false)
    relay = await startRelay(relay.port)
    await expect.poll(() => links.own.isUp).toBe(true)
    await expect.poll(() => relay.hub.store.size).toBe(1)
    expect(await call('get_info', { n: 2 })).toEqual({ result: { n: 2 } })
  })

  it('leaves a payment uncertain when it disconnects before the answer', async () => {
    await start(() => {
      void relay.close()
      return undefined
    })
    const lost = await call('pay_invoice')
    expect(codeOf(lost)).toBe('RELAY_LOST')
    expect('problem' in lost && mayHaveBeenPaid(lost.problem)).toBe(true)
    relay = await startRelay(relay.port)
  })
})

describe('a relay that accepts the connection and sends nothing', () => {
  it('is reported as unreachable, and the shop keeps running', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const url = `ws://localhost:${port}`
    const open = (text: string) =>
      callLog.recorder('me')('A test', 'relay', text, { command: 'get_info', connectionId: 'one' })
    const outcome = await new NwcClient(links, 1_000).call(
      { wallet: 'ab'.repeat(32), relay: url, secret },
      { method: 'get_info', params: {} },
      open,
    )
    expect(codeOf(outcome)).toBe('RELAY_DOWN')
    silent.close()
  })
})

describe('a wallet with several relays', () => {
  const callAt = (relays: readonly string[]): Promise<Outcome> => {
    const [first = '', ...otherRelays] = relays
    const open = (text: string) =>
      callLog.recorder('me')('A test', 'relay', text, { command: 'get_info', connectionId: 'one' })
    const target = { wallet: wallet?.publicKey ?? '', relay: first, otherRelays, secret }
    return new NwcClient(links, 2_000).call(target, { method: 'get_info', params: { n: 1 } }, open)
  }

  it('is reached at the next one when a relay is dead, or has no such wallet', async () => {
    const empty = await startRelay(0)
    await start(({ params }) => ({ result_type: 'x', result: params }))
    expect(await callAt(['ws://localhost:1', empty.url, relay.url])).toEqual({ result: { n: 1 } })
    expect(await callAt([relay.url, 'ws://localhost:1'])).toEqual({ result: { n: 1 } })
    expect(codeOf(await callAt(['ws://localhost:1', empty.url]))).toBe('NO_WALLET')
    await empty.close()
  })

  it('is not sent a request twice: after a request without an answer, no other relay is tried', async () => {
    const { requests } = await start(() => undefined)
    expect(codeOf(await callAt([relay.url, `${relay.url}/`]))).toBe('NO_ANSWER')
    expect(requests).toHaveLength(1)
  })
})

describe('the explanation of an error', () => {
  it.each([
    ['RATE_LIMITED', 'shop'],
    ['NOT_IMPLEMENTED', 'wallet'],
    ['INSUFFICIENT_BALANCE', 'person'],
    ['PAYMENT_FAILED', 'wallet'],
    ['NOT_FOUND', 'shop'],
    ['QUOTA_EXCEEDED', 'person'],
    ['RESTRICTED', 'person'],
    ['UNAUTHORIZED', 'person'],
    ['UNSUPPORTED_ENCRYPTION', 'shop'],
    ['INTERNAL', 'gateway'],
    ['OTHER', 'gateway'],
    ['SOMETHING_NEW', 'gateway'],
    ['constructor', 'gateway'],
  ])('explains %s and names the side that must act: %s', (code, side) => {
    const problem = explainWalletError(code, 'as it came')
    expect(problem).toMatchObject({ code, side, message: 'as it came' })
    expect(problem.meaning.length * problem.todo.length).toBeGreaterThan(0)
  })

  it('recognizes the sentence of the public gateway, which answers OTHER when the budget is used up', () => {
    // The spelling is that of the public gateway.
    const message = 'The avaiable budget left this cycle is not enough to cover the payment.'
    const problem = explainWalletError('OTHER', message, { method: 'pay_to_address', allowed: ['pay_to_address'] })
    expect(problem).toMatchObject({ code: 'OTHER', side: 'person' })
    expect(mayHaveBeenPaid(problem)).toBe(false)
  })

  const ALL = ['pay_to_address', 'lookup_user', 'fetch_quote', 'execute_quote', 'get_balance', 'pay_invoice']
  it.each([
    ['pay_to_address', 'RESTRICTED', ALL, 'A payment to this recipient is not allowed.', 'recipient'],
    ['lookup_user', 'RESTRICTED', ALL, 'Their provider has no permission for payments from your country.', 'recipient'],
    ['execute_quote', 'RESTRICTED', ALL, 'The connection of the recipient was not granted a limit.', 'recipient'],
    ['get_balance', 'RESTRICTED', ALL, 'This account has no wallet yet.', 'wallet'],
    ['pay_to_address', 'RESTRICTED', ['get_info'], 'Refused.', 'person'],
    ['get_balance', 'RESTRICTED', ['get_info'], 'Payments to this recipient are not allowed.', 'person'],
    ['pay_to_address', 'RESTRICTED', undefined, 'Payments to this recipient are not allowed.', 'person'],
    ['fetch_quote', 'OTHER', ALL, 'The VASP of the recipient closed the connection.', 'recipient'],
    ['execute_quote', 'OTHER', undefined, 'The recipient has no permission to receive money now.', 'recipient'],
    ['pay_to_address', 'OTHER', ALL, 'The monthly budget of the recipient is used up.', 'recipient'],
    ['pay_invoice', 'OTHER', ALL, 'The invoice has expired.', 'gateway'],
    ['pay_to_address', 'INTERNAL', ALL, 'Injected by the sandbox.', 'injected'],
    ['get_info', 'RESTRICTED', ['get_info'], 'Injected by the sandbox.', 'injected'],
  ])(
    'decides by code and permission, not by words: %s, %s, allowed %j, "%s": %s',
    (method, code, allowed, message, side) => {
      const problem = explainWalletError(code, message, { method, allowed })
      expect(problem).toMatchObject({ code, side, message })
      expect(mayHaveBeenPaid(problem)).toBe(code !== 'RESTRICTED')
    },
  )

  it.each([
    [{ commands: ['get_info', 'pay_to_address'] }, 'recipient'],
    [{ commands: ['get_info'] }, 'person'],
    // The gateway did not send a list, or the connection was pasted.
    [{ commands: [] }, 'person'],
    [null, 'person'],
  ])('takes what the user allowed from the grant of the connection: %j', async (grant, side) => {
    const { publicKey } = await start(({ method }) => ({
      result_type: method,
      error: { code: 'RESTRICTED', message: 'No connection.' },
    }))
    const open = (text: string) =>
      callLog.recorder('me')('A test', 'relay', text, { command: 'pay_to_address', connectionId: 'one' })
    const target = { wallet: publicKey, relay: relay.url, secret, grant }
    const outcome = await new NwcClient(links, 30_000).call(target, { method: 'pay_to_address', params: {} }, open)
    expect(outcome).toMatchObject({ problem: { side } })
  })

  it.each([
    'The payment is pending: its result is not known yet. Look it up before you try again.',
    'The payment is pending: its outcome is not known yet.',
  ])('does not call a payment in progress a failure of the gateway: %s', (message) => {
    const problem = explainWalletError('INTERNAL', message, { method: 'pay_invoice' })
    expect(problem).toMatchObject({ side: 'wallet', meaning: expect.stringContaining('still in progress') as string })
    expect(mayHaveBeenPaid(problem)).toBe(true)
  })

  it('recognizes from the message that the VASP is down', () => {
    expect(explainWalletError('INTERNAL', 'The VASP did not answer: ECONNREFUSED').side).toBe('wallet')
  })
})
