import type { Database } from '@/lib/platform/db/database'
import { makeUmaServer } from '@/lib/uma/server/server'
import { createUmaInvoice } from '@/lib/uma/invoices/create'
import { newNodeSecret } from '../keys'
import { newPayer, type Payer } from '../leaving'
import { newPerson, walletOf } from '../money'
import { makeTestVasp, read, type Answer, type TestVasp } from '../vasp'
import { startOtherVasp } from './other-vasp'

/** A VASP whose people make UMA invoices, another that asks what they cost, and somebody who pays them all. */
export interface ClaimWorld {
  readonly vasp: TestVasp
  /** Who carries the Lightning payments, for whichever VASP. */
  readonly funds: Payer
  /** A person who takes part in one test. */
  newPayee(): Promise<Payee>
  stop(): void
}

export interface Payee {
  /** A UMA invoice that may be paid so often; its UUID. */
  create(maxPayments: number): Promise<string>
  /** What the VASP of somebody says when it is asked for the price of it. */
  ask(invoiceUUID: string, name: string): Promise<Answer>
  credited(): Promise<bigint>
}

/** Of each UMA invoice, in cents of EUR. */
export const AMOUNT = 250n

export async function makeClaimWorld(db: Database): Promise<ClaimWorld> {
  const other = await startOtherVasp()
  const vasp = await makeTestVasp(db, {
    UMA_SIGNING_KEY: newNodeSecret(),
    UMA_ENCRYPTION_KEY: newNodeSecret(),
    UMA_LOCAL_PEERS: other.domain,
  })
  const answer = makeUmaServer(vasp.deps)
  return {
    vasp,
    funds: await newPayer(vasp, { SAT: 10n ** 12n }),
    async newPayee() {
      const bob = await newPerson(vasp, { EUR: 0n })
      return {
        async create(maxPayments) {
          const asked = { username: bob, code: 'EUR', amount: AMOUNT, expirySeconds: 600, maxPayments }
          return (await createUmaInvoice(vasp.deps, asked)).uuid
        },
        async ask(invoiceUUID, name) {
          const body = other.sender.payRequest(`$${name}@${other.domain}`, {
            amount: `${AMOUNT}.EUR`,
            convert: 'EUR',
            invoiceUUID,
          })
          const url = `http://localhost:3000/uma/pay/${bob}`
          return read(await answer(new Request(url, { method: 'POST', body: JSON.stringify(body) })))
        },
        credited: async () => (await walletOf(db, bob, 'EUR')).available,
      }
    },
    stop: () => other.stop(),
  }
}
