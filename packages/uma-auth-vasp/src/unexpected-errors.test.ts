import { describe, expect, it } from 'vitest'
import { newKeyPair } from '@/test/vasp/keys'
import { createUmaAuthVasp, importKeys, type CallEvent, type Transaction, type WalletBackend } from './index.ts'

class ForeignError extends Error {
  constructor(
    override readonly name: string,
    readonly code?: unknown,
  ) {
    super('the database password is hunter2')
  }
}

const transaction: Transaction = {
  type: 'incoming',
  paymentHash: 'ab'.repeat(32),
  amountMsats: 1_000n,
  feesPaidMsats: 0n,
  invoice: null,
  description: null,
  descriptionHash: null,
  preimage: null,
  createdAtSeconds: 1,
  expiresAtSeconds: null,
  settledAtSeconds: null,
  metadata: null,
}

const circular: Record<string, unknown> = {}
circular.self = circular

/** Calls `GET /invoices/{payment_hash}` of a bank that answers with `lookupInvoice`. */
async function lookUp(lookupInvoice: () => Transaction) {
  const { privatePem: privateKey, publicPem: publicKey } = newKeyPair()
  const logged: object[] = []
  const observed: CallEvent[] = []
  let slots = 0
  const backend: WalletBackend<object, 'USD'> = {
    logins: { create: () => Promise.resolve('created'), find: () => Promise.resolve('open') },
    connections: { create: () => Promise.resolve('created'), open: () => Promise.resolve({}) },
    admit() {
      slots += 1
      return { release: () => void (slots -= 1) }
    },
    getInfo: () => ({ pubkey: '', network: 'regtest', currencies: [] }),
    estimateBudget: () => ({ budgetAmount: 1n }),
    lookupInvoice,
  }
  const vasp = createUmaAuthVasp({
    domain: 'bank.example',
    name: 'Bank',
    gatewayRootUrl: 'https://gateway.example',
    keys: await importKeys({ privateKey, publicKey }),
    loginSecret: 'a secret of thirty-two characters',
    currencies: [{ code: 'USD', symbol: '$', name: 'US dollar', decimals: 2 }],
    backend,
    log: { error: (fields) => void logged.push(fields) },
    observe: (event) => void observed.push(event),
  })
  const subject = { id: 'connection', userId: 'alice', address: '$alice@bank.example', expiresAtSeconds: undefined }
  const token = await vasp.tokens.issueConnection({ ...subject, scope: ['lookup_invoice'] })
  const url = `/umanwc/v1/invoices/${transaction.paymentHash}`
  const headers = new Headers({ Authorization: `Bearer ${token}` })
  const response = await vasp.handle({ method: 'GET', url, headers, body: null })
  return { response, logged, observed, slots }
}

const INTERNAL = { code: 'INTERNAL', message: 'Something went wrong on our side.' }

describe('an unexpected error of the backend', () => {
  it.each([
    ['HttpError of another library', new ForeignError('HttpError', 403)],
    ['WalletError of another library', new ForeignError('WalletError')],
    ['WalletError with a code that no gateway recognizes', new ForeignError('WalletError', 'toString')],
    ['RangeError', new RangeError('the database password is hunter2')],
  ])('is answered with 500 without its text, logged and observed, and releases the slot: %s', async (_, error) => {
    const { response, logged, observed, slots } = await lookUp(() => {
      throw error
    })
    expect(response.status).toBe(500)
    expect(JSON.parse(response.text)).toEqual(INTERNAL)
    expect(logged).toEqual([{ requestId: response.headers['X-Request-Id'], err: error }])
    expect(observed).toMatchObject([{ status: 500, failedCheck: 'work' }])
    expect(slots).toBe(0)
  })

  it.each([
    ['a bigint', { satoshis: 1n }],
    ['a circular object', circular],
  ])('is answered with 500 when JSON cannot express the metadata of a transaction: %s', async (_, metadata) => {
    const { response, logged, observed, slots } = await lookUp(() => ({ ...transaction, metadata }))
    expect(response.status).toBe(500)
    expect(JSON.parse(response.text)).toEqual(INTERNAL)
    expect(logged).toMatchObject([{ err: { name: 'TypeError' } }])
    expect(observed).toMatchObject([{ status: 500, failedCheck: 'reply' }])
    expect(slots).toBe(0)
  })
})
