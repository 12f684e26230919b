import { once } from 'node:events'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { relative } from 'node:path'
import { makeHandlers } from '../../lib/backend/handlers'
import { openDatabase } from '../../lib/platform/db/open-database'
import { makeListener } from '../../lib/platform/http/http-server'
import { invoiceOf, newUser } from '../vasp/money'
import { makeTestVasp } from '../vasp/vasp'

// A process for a test. It pays an invoice of this VASP over HTTP and prints the files whose functions ran. Argument:
// the data folder.
const db = await openDatabase({ databaseUrl: undefined, dataDir: process.argv[2] ?? '', log: () => {} })
const vasp = await makeTestVasp(db)
const answer = makeListener(vasp.app, { ...makeHandlers(vasp.app, vasp.auth), rejectionPage: () => undefined })(
  (_request, response) => void response.writeHead(500).end(),
)
const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const payer = await newUser(vasp, { USD: 1_000_000n })
const token = await vasp.connectionToken(payer, ['pay_invoice'])
const payee = await newUser(vasp, { SAT: 0n })
const invoices = [await invoiceOf(vasp, payee, 'SAT', 5_000_000n), await invoiceOf(vasp, payee, 'SAT', 5_000_000n)]

async function pay(invoice: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/umanwc/v1/payments/bolt11`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ invoice, budget_currency_code: 'USD' }),
  })
  if (response.status !== 200) throw new Error(`paid with ${response.status}: ${await response.text()}`)
}

await pay(invoices[0]?.invoice ?? '')
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await pay(invoices[1]?.invoice ?? '')
const { result } = await session.post('Profiler.takePreciseCoverage')
const files = result
  .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
  .map(({ url }) => relative(process.cwd(), url.replace('file://', '').replace(/\?.*$/, '')))
  .filter((path) => /^(?:lib|packages)\/.*\.ts$/.test(path))
process.stdout.write(`${JSON.stringify([...new Set(files)].toSorted())}\n`)
process.exit(0)
