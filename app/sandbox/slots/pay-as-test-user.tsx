import { UserForm } from '@/components/user-form'
import { isPastTeamGate } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { formatAmount } from '@/lib/money/format'
import { findTestPayer } from '@/lib/sandbox/test-values/pay-as'

interface Props {
  readonly username: string
  readonly paymentHash: string
  /** Null when the payer chooses. */
  readonly amountMsats: bigint | null
}

/** Below an open invoice: one click pays it from the wallet of another test user. */
export async function PayAsTestUser({ username, paymentHash, amountMsats }: Props) {
  const current = application()
  if (!current.settings.sandboxTools || !(await isPastTeamGate(current))) return null
  const payer = await findTestPayer(current, username, amountMsats)
  if (payer === undefined) return null
  const name = payer.user.displayName
  return (
    <UserForm action="/sandbox/forms/pay-invoice" className="mt-6" busy="Paying …">
      <input type="hidden" name="payment_hash" value={paymentHash} />
      <button className="button">
        {amountMsats === null ? `Pay ${formatAmount(payer.amountMsats, 'SAT')} SAT as ${name}` : `Pay it as ${name}`}
      </button>
      <p className="label mt-2">Pays this invoice from a wallet of the test user {name}.</p>
    </UserForm>
  )
}
