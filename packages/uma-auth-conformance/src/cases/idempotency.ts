import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkRefused, checkSuccess, fieldsOf, isRecord } from '../check.ts'
import type { CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { randomHex } from '../session.ts'
import { NotApplicable, type Need } from '../verdict.ts'
import { AMOUNT_MSATS } from './invoices.ts'
import { balancesOf, checkUnchanged, NEEDED, ORDERS, type Kind } from './orders.ts'

type Headers = Readonly<Record<string, string>>
type Send = (headers: Headers) => Promise<Reply>

const keyed = caseGroup('Idempotency-Key (IETF draft), 2', [])

/** A request with a key, another one with the same key, and the OpenAPI path of both. */
function keyCase(
  area: string,
  path: string,
  needs: readonly Need[],
  prepare: (context: CaseContext, msats: number) => Promise<Send>,
): ConformanceCase {
  const isPayment = needs.includes('payments')
  return keyed.should(`${area}.idempotent`, 'an Idempotency-Key is one request', {
    source:
      'A client whose answer was lost repeats the request with its key. Another request with the key is an error.',
    advice:
      'Store the key of the connection with its request. Answer the same request alike, and another one with 400.',
    dependsOn: [`${area}.reply`, ...(isPayment ? ['balance.given-currency'] : [])],
    needs,
    timeoutSeconds: 120,
    async run(context) {
      await requireKey(context, path)
      const [one, other] = [await prepare(context, AMOUNT_MSATS), await prepare(context, 2 * AMOUNT_MSATS)]
      const headers = { 'Idempotency-Key': `conformance-${randomHex(8)}` }
      const first = checkSuccess(await one(headers), 'The first request')
      const before = isPayment ? await balancesOf(context) : undefined
      const again = checkSuccess(await one(headers), 'The repeated request')
      for (const field of ['preimage', 'payment_hash'])
        check(again[field] === first[field], `The repeated request was answered with another ${field}.`)
      checkRefused(await other(headers), 'Another request with the same Idempotency-Key')
      if (before !== undefined) await checkUnchanged(context, before, 'A used Idempotency-Key')
    },
  })
}

/** @throws NotApplicable when the VASP's OpenAPI document describes the endpoint without the header. */
async function requireKey({ session, client }: CaseContext, path: string): Promise<void> {
  const url = `${session.target.origin}/openapi.json`
  const { paths } = fieldsOf(await session.memo('openapi', () => client.send({ url })))
  const plain = (text: string): string => text.replaceAll(/\{\w+\}/g, '{}')
  const described = Object.entries(isRecord(paths) ? paths : {}).find(([name]) => plain(name).endsWith(plain(path)))
  if (described !== undefined && !/idempotency-?key/i.test(JSON.stringify(described)))
    throw new NotApplicable('the OpenAPI document of the VASP describes no Idempotency-Key here')
}

const payment = (kind: Kind, path: string): ConformanceCase =>
  keyCase(kind, path, ['payments', ...NEEDED[kind]], async (context, msats) => {
    const { send } = await ORDERS[kind](context, msats)
    return (headers) => send(null, headers)
  })

export const idempotencyCases: readonly ConformanceCase[] = [
  keyCase('make-invoice', '/invoice', [], async (context, amount) => {
    return (headers) => context.api({ method: 'POST', path: '/invoice', body: { amount }, headers })
  }),
  payment('pay-invoice', '/payments/bolt11'),
  payment('keysend', '/payments/keysend'),
  payment('execute-quote', '/quote/{payment_hash}'),
  payment('pay-to-address', '/payments/lud16'),
]
