import { RequestId } from '@/components/request-id'
import { UserForm } from '@/components/user-form'
import type { CurrencyCode } from '@/lib/money/currencies'

/** Adds test money when the sandbox tools are on, in the colour of test money. */
export function FaucetForm({ code }: { readonly code: CurrencyCode }) {
  return (
    <UserForm action="/wallets/faucet">
      <RequestId />
      <input type="hidden" name="currency" value={code} />
      <button className="button button-sandbox">
        Add test money<span className="sr-only"> to {code}</span>
      </button>
    </UserForm>
  )
}
