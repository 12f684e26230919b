import { writeSync } from 'node:fs'
import { openDatabase } from '../../lib/platform/db/open-database'
import { invoiceOf } from '../vasp/money'
import { makeTestVasp } from '../vasp/vasp'

// A process for tests. Alice pays twenty invoices of bob through the API, four at a time, and each answer is printed
// before the next request. After the given number of answers the process is killed, with the other payments in
// progress. Arguments: the data folder or the server's URL, and that number.
const [where = '', killAfter = ''] = process.argv.slice(2)
const PAYMENTS = 20
const AT_ONCE = 4

const databaseUrl = where.startsWith('postgres') ? where : undefined
const db = await openDatabase({ databaseUrl, dataDir: where, log: () => {} })
const vasp = await makeTestVasp(db)
const token = await vasp.connectionToken('alice', ['pay_invoice'])
const waiting = await Promise.all(
  Array.from({ length: PAYMENTS }, (_, index) => invoiceOf(vasp, 'bob', 'SAT', 10_001n + BigInt(index))),
)
let answers = 0
await Promise.all(Array.from({ length: AT_ONCE }, payInTurn))
writeSync(1, 'all\n')

async function payInTurn(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { status, body } = await vasp.post('/payments/bolt11', token, { invoice: next.invoice })
    // Written synchronously, so that the kill cannot remove a line that a caller has received.
    writeSync(1, `${status} ${next.paymentHash} ${String(body.preimage)}\n`)
    answers += 1
    if (answers === Number(killAfter)) process.kill(process.pid, 'SIGKILL')
  }
}
