import { createHash } from 'node:crypto'
import { startStack } from '../../test/stack/stack'
import { fetchToken } from '../../sandbox/shared/fetch-token'

// Starts the production build with the embedded database and the sandbox beside it, and pays one invoice over HTTP. All
// processes run on the Node that runs this script.
const AMOUNT_MSATS = 1_000_000

const stack = await startStack()
try {
  const call = async (username: string, permission: string, path: string, body: object): Promise<unknown> => {
    const token = await fetchToken({
      vaspOrigin: stack.vaspOrigin,
      gatewayRootUrl: stack.gatewayOrigin,
      instance: 'northbank',
      username,
      password: 'sandbox',
      permissions: [permission],
    })
    const response = await fetch(`${stack.vaspOrigin}/umanwc/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
  const invoice = (await call('bob', 'make_invoice', '/invoice', { amount: AMOUNT_MSATS })) as {
    readonly invoice: string
    readonly payment_hash: string
  }
  const paid = (await call('alice', 'pay_invoice', '/payments/bolt11', { invoice: invoice.invoice })) as {
    readonly preimage: string
  }
  const hash = createHash('sha256').update(Buffer.from(paid.preimage, 'hex')).digest('hex')
  if (hash !== invoice.payment_hash) throw new Error('The preimage does not match the payment hash of the invoice.')
  console.log(`Paid ${AMOUNT_MSATS} msats from Alice to Bob on Node ${process.versions.node}.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  await stack.stop()
}
