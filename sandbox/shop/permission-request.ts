import { fieldOf } from '../../lib/web/form-fields'
import { budgetProblem, budgetText } from './money'
import { ShopError, type Problem } from './problem'
import type { Role } from './store'

/** The permissions that the shop requests, as parameters of UMA Auth. */
export interface PermissionRequest {
  readonly required: string
  readonly optional: string
  /** `5000.USD/monthly`: smallest units, currency, period. */
  readonly budget: string | undefined
  readonly expiresAtSeconds: number | undefined
}

export const LIVES: readonly (readonly [value: string, label: string, seconds: number | undefined])[] = [
  ['none', 'Never', undefined],
  ['day', 'In one day', 86_400],
  ['month', 'In one month (30 days)', 2_592_000],
  ['year', 'In one year (365 days)', 31_536_000],
]

export const DEFAULT_PERMISSIONS: Readonly<Record<Role, { required: string; optional: string; budget: string }>> = {
  customer: {
    required: 'get_info',
    optional:
      'pay_invoice make_invoice lookup_invoice get_balance get_budget list_transactions lookup_user fetch_quote execute_quote pay_to_address pay_keysend',
    budget: '50.00',
  },
  merchant: {
    required: 'get_info make_invoice lookup_invoice',
    optional: 'get_balance list_transactions',
    budget: '',
  },
}

/** Reads the form. @throws ShopError for an invalid budget. */
export function readPermissionRequest(form: URLSearchParams, nowSeconds: number): PermissionRequest {
  const commands = (name: string): string =>
    (fieldOf(form, name) ?? '').split(/\s+/).filter(Boolean).join(' ').slice(0, 500)
  const amount = fieldOf(form, 'budget')?.trim()
  const currency = fieldOf(form, 'currency') ?? ''
  const budget = amount === undefined ? undefined : budgetText(amount, currency, fieldOf(form, 'period') ?? '')
  if (amount !== undefined && budget === undefined)
    throw new ShopError(badBudget(amount, budgetProblem(amount, currency)))
  const life = LIVES.find(([value]) => value === fieldOf(form, 'life'))?.[2]
  return {
    required: commands('required') || 'get_info',
    optional: commands('optional'),
    budget,
    expiresAtSeconds: life === undefined ? undefined : nowSeconds + life,
  }
}

const badBudget = (amount: string, meaning: string): Problem => ({
  code: 'BAD_BUDGET',
  message: `“${amount.slice(0, 40)}” is not a valid amount in that currency.`,
  meaning,
  side: 'shop',
  todo: 'Check the amount. Nothing was sent.',
})
