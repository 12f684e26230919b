import { Alert } from '@/components/ui/alert'
import { Field, Select } from '@/components/ui/field'
import { Expiry } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import type { OpenQuote } from '@/lib/sandbox/faults/service'
import {
  FAULT_KINDS,
  FAULT_LIMITS,
  FAULT_RULES,
  faultTitle,
  type Fault,
  type FaultStage,
} from '@/lib/sandbox/faults/types'
import { CONFIRMATION, connectionAddress } from '@/lib/web/connection-links'
import { Confirmation } from '../../(dashboard)/connections/confirmation'

const STAGES: Readonly<Record<FaultStage, string>> = {
  before: 'Fail at once: nothing is done',
  after: 'Do it, then lose the answer',
}

interface Props {
  readonly connectionId: string
  readonly connectionName: string
  /** In the order in which calls take them. */
  readonly faults: readonly Fault[]
  readonly quotes: readonly OpenQuote[]
  readonly now: Date
  /** Whether the confirmation to expire the connection is open. */
  readonly asksToExpire: boolean
  readonly typed: Readonly<Record<'kind' | 'when' | 'calls' | 'minutes' | 'seconds', string | undefined>>
  readonly errors: Readonly<Record<string, string>>
}

/** The owner makes calls of this connection fail, to test the app behind it. */
export function FaultsSection(props: Props) {
  const { connectionId, connectionName, faults, quotes, now, asksToExpire, errors } = props
  return (
    <section aria-labelledby="faults" className="mt-10">
      <h2 id="faults">
        Faults <span className="label text-ochre">Sandbox</span>
      </h2>
      <p className="mt-2 text-muted">
        Make the next calls of this app fail, and see how the app reacts. A fault applies after all checks of a call
        have passed. Each call takes one fault, in the order of this list.
      </p>
      {errors.stop === undefined ? null : <Alert>{errors.stop}</Alert>}
      {faults.length === 0 ? (
        <p className="line mt-4 py-4">No fault is active.</p>
      ) : (
        <ol className="mt-4" aria-label="Active faults">
          {faults.map((fault) => (
            <ActiveFault key={fault.id} fault={fault} now={now} />
          ))}
        </ol>
      )}
      <AddForm connectionId={connectionId} typed={props.typed} errors={errors} />
      <h3 className="mt-8">Expire now</h3>
      <p className="mt-2 text-muted">
        The quote or connection that you choose expires immediately. You cannot undo this.
      </p>
      {errors.quote === undefined ? null : <Alert>{errors.quote}</Alert>}
      <ul className="mt-4">
        {quotes.map((quote) => (
          <Quote key={quote.paymentHash} connectionId={connectionId} quote={quote} now={now} />
        ))}
        <li className="line flex flex-wrap items-center justify-between gap-3 py-3">
          <span>This connection</span>
          <a className="button button-danger" href={`${connectionAddress(connectionId)}?expire#${CONFIRMATION}`}>
            Expire connection
          </a>
        </li>
      </ul>
      {asksToExpire ? (
        <Confirmation
          title={`Expire ${connectionName}?`}
          text="The app's token expires now, and its next call is refused with 401. You cannot undo this, but the app can ask again."
        >
          <UserForm action="/sandbox/forms/faults/expire">
            <input type="hidden" name="connection" value={connectionId} />
            <input type="hidden" name="expires" value="connection" />
            <button className="button button-danger">Expire connection now</button>
          </UserForm>
          <a className="button" href={connectionAddress(connectionId)}>
            Cancel
          </a>
        </Confirmation>
      ) : null}
    </section>
  )
}

function ActiveFault({ fault, now }: { readonly fault: Fault; readonly now: Date }) {
  const { id, connectionId, stage, callsLeft, expiresAt } = fault
  const title = faultTitle(fault)
  return (
    <li
      className="line flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3"
      data-live={`${id} ${callsLeft}`}
    >
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-semibold text-ochre">{title}</p>
        <p className="label">{STAGES[stage]}</p>
        <p className="label">
          <span className="figures">{callsLeft === 1 ? '1 call' : `${callsLeft} calls`}</span> left, until{' '}
          <Expiry at={expiresAt} now={now} />
        </p>
      </div>
      <UserForm action="/sandbox/forms/faults/stop">
        <input type="hidden" name="connection" value={connectionId} />
        <input type="hidden" name="fault" value={id} />
        <button className="button" aria-label={`Stop the fault ${title}`}>
          Stop
        </button>
      </UserForm>
    </li>
  )
}

function AddForm({ connectionId, typed, errors }: Pick<Props, 'connectionId' | 'typed' | 'errors'>) {
  return (
    <UserForm action="/sandbox/forms/faults/add" className="mt-4 grid gap-4 sm:grid-cols-2">
      <input type="hidden" name="connection" value={connectionId} />
      <Select
        label="Fault"
        name="kind"
        chosen={typed.kind}
        options={FAULT_KINDS.map((kind) => [kind, FAULT_RULES[kind].name])}
        error={errors.kind}
      />
      <Select label="When" name="when" chosen={typed.when} options={Object.entries(STAGES)} />
      <Field
        label="Calls"
        name="calls"
        inputMode="numeric"
        value={typed.calls ?? '1'}
        error={errors.calls}
        hint={`At most ${FAULT_LIMITS.calls}.`}
        required
      />
      <Field
        label="Minutes until it ends"
        name="minutes"
        inputMode="numeric"
        value={typed.minutes ?? String(FAULT_LIMITS.minutes)}
        error={errors.minutes}
        hint={`At most ${FAULT_LIMITS.minutes}.`}
        required
      />
      <Field
        label="Seconds (optional)"
        name="seconds"
        inputMode="numeric"
        value={typed.seconds ?? ''}
        error={errors.seconds}
        hint={`For a delay, ${FAULT_RULES.delay.seconds?.default} if empty. For Retry-After, ${FAULT_RULES.http_429.seconds?.default} if empty.`}
      />
      <p className="self-end">
        <button className="button button-sandbox">Add fault</button>
      </p>
    </UserForm>
  )
}

interface QuoteProps {
  readonly connectionId: string
  readonly quote: OpenQuote
  readonly now: Date
}

function Quote({ connectionId, quote: { paymentHash, receiverAddress, expiresAt }, now }: QuoteProps) {
  return (
    <li className="line flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="break-words">Quote for {receiverAddress}</p>
        <p className="label">
          Expires <Expiry at={expiresAt} now={now} />
        </p>
      </div>
      <UserForm action="/sandbox/forms/faults/expire">
        <input type="hidden" name="connection" value={connectionId} />
        <input type="hidden" name="quote" value={paymentHash} />
        <button className="button" aria-label={`Expire the quote for ${receiverAddress}`}>
          Expire quote
        </button>
      </UserForm>
    </li>
  )
}
