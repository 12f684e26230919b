import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { startStack, userOf, type Stack } from '../stack/stack'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack?.stop())

// Its processes run on the Node that runs the test: `npm test -- --all` runs it on other versions too.
it('the production build with the embedded database and the sandbox beside it pays an invoice over HTTP', async () => {
  const call = async (username: string, permission: string, path: string, body: object): Promise<unknown> => {
    const token = await fetchToken({ ...userOf(stack, username), permissions: [permission] })
    const response = await fetch(`${stack.vaspOrigin}/umanwc/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return JSON.parse(text)
  }
  const { invoice, payment_hash: hash } = (await call('bob', 'make_invoice', '/invoice', { amount: 1_000_000 })) as {
    readonly invoice: string
    readonly payment_hash: string
  }
  const { preimage } = (await call('alice', 'pay_invoice', '/payments/bolt11', { invoice })) as {
    readonly preimage: string
  }
  expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(hash)
})
