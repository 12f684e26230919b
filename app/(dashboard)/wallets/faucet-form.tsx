import type { CurrencyCode } from '@/lib/money/currencies'
import { ACTIONS } from '@/lib/ui/actions'
import { RequestId } from '@/components/request-id'
import { PersonForm } from '@/components/user-form'

/** Money out of nothing, where the sandbox tools are on; in the colour of what is not real. */
export function FaucetForm({ code }: { readonly code: CurrencyCode }) {
  return (
    <PersonForm action={ACTIONS.faucet}>
      <RequestId />
      <input type="hidden" name="currency" value={code} />
      <button className="button button-sandbox">
        Use the faucet<span className="sr-only"> for {code}</span>
      </button>
    </PersonForm>
  )
}
