import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { Amount } from '@/components/ui/amount'
import { DescriptionItem, DescriptionTotal } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { findConnection } from '@/lib/connections/queries'
import { currencyOf } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import { costOfCall, type CallCost } from '@/lib/sandbox/api-reference/cost'
import { prettyJson } from '@/lib/sandbox/wire/details'
import type { ReplayPlan } from '@/lib/sandbox/wire/replay'
import { planOf } from '../../event-of-page'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { event, plan } = await planOf((await params).id)
  if (event === undefined || plan === undefined) notFound()
  return { title: `Replay ${event.name}` }
}

/** Asks for confirmation before a replay pays or creates something. */
export default async function ReplayPage({ params }: Props) {
  const { id } = await params
  const { plan, username } = await planOf(id)
  if (plan === undefined) notFound()
  if (!('command' in plan)) redirect(`/developers/wire/${id}#replay`)
  const current = application()
  const [cost, connection] = await Promise.all([
    costOfCall(current, username, plan.command.name, plan),
    findConnection(current.db, username, plan.connectionId),
  ])
  return (
    <div className="max-w-3xl py-8">
      <Link className="tap" href={`/developers/wire/${id}`}>
        The call
      </Link>
      <h1>Replay this call?</h1>
      <p className="mt-3 max-w-2xl">{SENTENCES[plan.effect]}</p>
      <dl className="mt-6">
        <DescriptionItem term="Call">
          <code>{`${plan.command.method} ${plan.url}`}</code>
        </DescriptionItem>
        <DescriptionItem term="As connection">{connection?.name ?? plan.connectionId}</DescriptionItem>
        <Cost cost={cost} />
      </dl>
      <div className="double-rule" />
      {cost.problem === undefined ? null : (
        <p className="mt-4 max-w-2xl border-l-2 border-ochre pl-3">Note: {cost.problem}</p>
      )}
      <div className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3">
        <UserForm action="/sandbox/forms/replay">
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="request_id" value={current.ids.uuid()} />
          <input type="hidden" name="confirmed" value="yes" />
          <button className="button button-main">{buttonOf(plan, cost)}</button>
        </UserForm>
        <Link className="tap" href={`/developers/wire/${id}`}>
          Cancel
        </Link>
      </div>
      {plan.body === undefined ? null : (
        <section aria-labelledby="request" className="mt-8">
          <h2 id="request">Request</h2>
          <pre className="line mt-2 pt-2 whitespace-pre-wrap">
            <code>{prettyJson(plan.body)}</code>
          </pre>
        </section>
      )}
    </div>
  )
}

const SENTENCES: Readonly<Record<ReplayPlan['effect'], string>> = {
  pays: 'This call can move money. It does not count against the budget at the gateway. The replay is a new request with its own Idempotency-Key.',
  creates: 'This call creates something each time it is sent.',
  reads: 'This call only reads data.',
}

function Cost({ cost: { debit, walletCode, payee, isMaximum } }: { readonly cost: CallCost }) {
  return (
    <>
      {payee === undefined ? null : <DescriptionItem term="To">{payee}</DescriptionItem>}
      {walletCode === undefined ? null : (
        <DescriptionItem term="Wallet">
          {walletCode}, {currencyOf(walletCode).name}
        </DescriptionItem>
      )}
      {debit === undefined || walletCode === undefined ? null : (
        <DescriptionTotal term={isMaximum === true ? 'You pay up to' : 'You pay'}>
          <Amount units={debit} code={walletCode} />
        </DescriptionTotal>
      )}
    </>
  )
}

/** The button names its result. A call that would be refused now is still sent: its error may be what the user wants to see. */
function buttonOf({ command }: ReplayPlan, { debit, walletCode, problem }: CallCost): string {
  if (command.name === 'make_invoice') return 'Replay and create invoice'
  if (command.name === 'fetch_quote') return 'Replay and get a quote'
  if (debit === undefined || walletCode === undefined || problem !== undefined) return 'Replay call'
  return `Replay and pay ${formatAmount(debit, walletCode)} ${walletCode}`
}
