import type { ConformanceCase } from '../case.ts'
import { bearerCases, expiredCases, expiringCases } from './bearer.ts'
import { discoveryCases } from './discovery.ts'
import { errorCases } from './errors.ts'
import { exchangeCases } from './exchange.ts'
import { idempotencyCases } from './idempotency.ts'
import { lookupInvoiceCases, makeInvoiceCases, transactionCases } from './invoices.ts'
import { keyCases } from './keys.ts'
import { loginCases } from './login.ts'
import { executeQuoteCases, keysendCases, payInvoiceCases, payToAddressCases } from './payments.ts'
import { fetchQuoteCases, lookupUserCases } from './quotes.ts'
import { scopeCases } from './scopes.ts'
import { connectionTokenCases, loginTokenCases } from './tokens.ts'
import { umaCases } from './uma.ts'
import { balanceCases, budgetCases, infoCases } from './wallet.ts'

/** All cases by area, each after the cases that it depends on. */
export const CASES: readonly ConformanceCase[] = inOrder([
  ...discoveryCases,
  ...loginCases,
  ...loginTokenCases,
  ...exchangeCases,
  ...connectionTokenCases,
  ...infoCases,
  ...expiringCases,
  ...bearerCases,
  ...budgetCases,
  ...scopeCases,
  ...balanceCases,
  ...makeInvoiceCases,
  ...lookupInvoiceCases,
  ...payInvoiceCases,
  ...keysendCases,
  ...lookupUserCases,
  ...fetchQuoteCases,
  ...executeQuoteCases,
  ...payToAddressCases,
  ...idempotencyCases,
  // After the payments, so that there is a history.
  ...transactionCases,
  ...errorCases,
  ...expiredCases,
  ...umaCases,
  ...keyCases,
])

/** Moves a case behind the last one that it depends on. @throws Error for a repeated id or a cycle. */
function inOrder(cases: readonly ConformanceCase[]): readonly ConformanceCase[] {
  const ids = new Set(cases.map(({ id }) => id))
  const placed = new Map<string, ConformanceCase>()
  let waiting = [...cases]
  while (waiting.length > 0) {
    const [ready] = waiting.filter(({ dependsOn = [] }) => dependsOn.every((id) => placed.has(id) || !ids.has(id)))
    if (ready === undefined || placed.has(ready.id))
      throw new Error(`the cases ${waiting.map(({ id }) => id).join(', ')} depend on each other, or an id is repeated`)
    placed.set(ready.id, ready)
    waiting = waiting.filter((each) => each !== ready)
  }
  return [...placed.values()]
}
