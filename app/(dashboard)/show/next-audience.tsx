import type { ReactNode } from 'react'
import { Alert } from '@/components/ui/alert'
import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import { PAIRINGS, type Pairing } from '@/lib/sandbox/show/next-audience'
import { Confirmation } from '../connections/confirmation'
import { inWords, ResetOutcome } from '../sandbox/reset-outcome'

interface QuestionProps {
  /** Users that are reset. */
  readonly count: number
  /** Name of the signed-in user. */
  readonly reader: string
  readonly hasShop: boolean
  readonly cancel: ReactNode
}

/** Says what is reset, and asks. */
export function NextQuestion({ count, reader, hasShop, cancel }: QuestionProps) {
  const shop = hasShop ? ' The shop is paired again, and forgets the wallets and orders of its visitors.' : ''
  return (
    <Confirmation
      title="Prepare for the next audience?"
      text={`This resets ${inWords(count, 'user')}: wallets return to their opening balances, connected apps lose access on their next call, and open quotes, invoices and requests expire. Statements keep their entries.${shop} You stay signed in as ${reader}. You cannot undo this.`}
    >
      <UserForm action="/sandbox/show/next" busy="Resetting and pairing …">
        <button className="button button-danger">Prepare for the next audience</button>
      </UserForm>
      {cancel}
    </Confirmation>
  )
}

interface OutcomeProps {
  readonly reset: string | undefined
  readonly pending: string | undefined
  readonly pairing: string | undefined
  /** The addresses of the shop and the gateway. */
  readonly shop: string | undefined
  readonly gateway: string
}

export function NextOutcome({ reset = '', pending = '', pairing, shop, gateway }: OutcomeProps) {
  const known = PAIRINGS.find((each) => each === pairing)
  if (known === undefined) return null
  return (
    <>
      <ResetOutcome reset={reset} pending={pending} />
      {known === 'none' ? null : known === 'paired' ? (
        <p className="mt-2 text-green">✓ The shop is paired again and has forgotten its visitors.</p>
      ) : (
        <Alert>{problemOf(known, shop ?? 'the shop', gateway)}</Alert>
      )}
      <p className="actions mt-4">
        <Link className="button" href="/show">
          Begin the show
        </Link>
      </p>
    </>
  )
}

function problemOf(pairing: Exclude<Pairing, 'paired' | 'none'>, shop: string, gateway: string): string {
  switch (pairing) {
    case 'shop':
      return `The shop at ${shop} does not answer. It is not paired, and still knows its visitors. Start it, as npm run demo does, and press “Next audience” again.`
    case 'gateway':
      return `The gateway at ${gateway} does not answer, so the shop is not paired. Start it, as npm run demo does, and press “Next audience” again.`
    case 'refused':
      return 'The shop is not paired. The log of this server says why, in its line “the shop was not paired”. The simulator’s pages can be completed without a user, those of another gateway cannot: then pair the shop on the sandbox desk.'
  }
}
