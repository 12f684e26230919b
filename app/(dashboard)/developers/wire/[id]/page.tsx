import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { CopyField } from '@/components/ui/copy-field'
import { DescriptionItem } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { ExactTime } from '@/components/ui/time'
import { application } from '@/lib/backend/application'
import { findConnection } from '@/lib/connections/queries'
import { paymentOf } from '@/lib/events/live-event'
import type { EventRow, TravelRule } from '@/lib/events/types'
import { adviceOnPath } from '@/lib/events/unknown-path'
import { withHiddenEscaped } from '@/lib/platform/visible-text'
import { curlOf, isMasked, nip47Reply, prettyJson, readFacts } from '@/lib/sandbox/wire/details'
import { wireAddress } from '@/lib/sandbox/wire/filter'
import { KIND_NAMES } from '@/lib/sandbox/wire/kinds'
import { bearerFaultText, checksOf, referenceOf, type Reference } from '@/lib/sandbox/wire/reference'
import { subjectsOf, type Subject } from '@/lib/sandbox/wire/subject'
import { eventOfPage } from '../event-of-page'
import { EventStatus } from '../event-status'
import { Checks } from './checks'
import { Claims } from './claims'
import { Origins } from './origins'

interface Props {
  readonly params: Promise<{ readonly id: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { event } = await eventOfPage((await params).id)
  if (event === undefined) notFound()
  return { title: event.status === null ? event.name : `${event.name} ${event.status}` }
}

export default async function EventPage({ params }: Props) {
  const { username, event } = await eventOfPage((await params).id)
  if (event === undefined) notFound()
  const current = application()
  const { detail, status, connectionId, paymentHash } = event
  const facts = readFacts(detail)
  const [connection, subjects] = await Promise.all([
    connectionId === null ? null : findConnection(current.db, username, connectionId),
    paymentHash === null ? [] : subjectsOf(current.db, username, paymentHash),
  ])
  const reference = referenceOf(event)
  const checks = checksOf(event.kind, event.failedCheck)
  const curl = curlOf(current.settings.publicOrigin, facts, detail.request)
  return (
    <div className="max-w-3xl py-8">
      <Link className="tap" href={wireAddress({})}>
        The Wire
      </Link>
      <h1 className="break-words">{event.name}</h1>
      <p className="mt-3 flex flex-wrap items-baseline gap-x-4">
        {status === null ? null : <EventStatus status={status} />}
        {event.summary === '' ? null : <span className="min-w-0 break-words">{event.summary}</span>}
      </p>
      <Facts event={event} connectionName={connection?.name} subjects={subjects} />
      {event.name === 'unknown path' && facts.path !== undefined ? (
        <UnknownPath method={facts.method ?? ''} path={facts.path} />
      ) : null}
      {facts.redirectOrigin === undefined || facts.gatewayOrigin === undefined ? null : (
        <Origins asked={facts.redirectOrigin} gateway={facts.gatewayOrigin} refused={event.failedCheck !== null} />
      )}
      {checks.length === 0 ? null : <Checks checks={checks} reason={bearerFaultText(facts.bearerFault)} />}
      {facts.claims === undefined ? null : (
        <Claims
          claims={facts.claims}
          calledAt={event.recordedAt}
          now={current.clock.now()}
          connectedAt={connection?.createdAt}
        />
      )}
      <Body id="request" title="Request" text={detail.request} />
      <Body id="response" title="Response" text={detail.response} />
      {detail.travelRule === undefined ? null : <TravelRuleText {...detail.travelRule} />}
      {reference === undefined ? null : <Rule reference={reference} />}
      {reference?.command === undefined || status === null ? null : (
        <AppSide reference={reference} status={status} response={detail.response} />
      )}
      {curl === undefined ? null : (
        <section aria-labelledby="curl" className="mt-8">
          <h2 id="curl">Call it with curl</h2>
          <p className="my-2 text-muted">
            The server does not store tokens. Put one into <code>$TOKEN</code> first:{' '}
            {event.kind === 'token_exchange' ? (
              'the token of a new login.'
            ) : (
              <>
                <code>npm run token</code> issues one.
              </>
            )}
            {detail.request !== undefined && isMasked(detail.request)
              ? ' Parts of this body were not stored: fill them in.'
              : null}
          </p>
          <CopyField label="As curl" text={curl} />
        </section>
      )}
    </div>
  )
}

const SUBJECTS: Readonly<Record<Subject['kind'], string>> = { payment: 'Payment', invoice: 'Invoice', quote: 'Quote' }

interface FactsProps {
  readonly event: EventRow
  readonly connectionName: string | undefined
  readonly subjects: readonly Subject[]
}

function Facts({ event, connectionName, subjects }: FactsProps) {
  const { connectionId, durationMs, requestId, injected } = event
  const payment = paymentOf(event)
  const story = payment ?? requestId
  return (
    <dl className="mt-4">
      <DescriptionItem term="Kind">{KIND_NAMES[event.kind]}</DescriptionItem>
      <DescriptionItem term="Time">
        <ExactTime at={event.recordedAt} />
        {durationMs === null ? null : <span className="figures text-muted"> ({durationMs.toFixed(1)} ms)</span>}
      </DescriptionItem>
      <DescriptionItem term="User">
        {event.userId ?? 'Not known: neither a valid token nor a session identifies one.'}
      </DescriptionItem>
      {connectionId === null ? null : (
        <DescriptionItem term="Connection">
          <Link className="row-link" href={wireAddress({ connection: connectionId })}>
            {connectionName ?? connectionId}
          </Link>
        </DescriptionItem>
      )}
      {subjects.map(({ kind, href }) => (
        <DescriptionItem key={kind} term={SUBJECTS[kind]}>
          <Link className="row-link" href={href}>
            Open this {kind}
          </Link>
        </DescriptionItem>
      ))}
      {story === null ? null : (
        <DescriptionItem term="Story">
          <Link className="row-link" href={wireAddress({ story })}>
            All events of this {payment === null ? 'request' : 'payment'}
          </Link>
        </DescriptionItem>
      )}
      {requestId === null ? null : (
        <DescriptionItem term="Request id">
          <code>{requestId}</code>
        </DescriptionItem>
      )}
      {injected === null ? null : (
        <DescriptionItem term="Injected">
          <span className="text-ochre">{injected}</span>
        </DescriptionItem>
      )}
    </dl>
  )
}

function UnknownPath({ method, path }: { readonly method: string; readonly path: string }) {
  return (
    <section aria-labelledby="path" className="mt-8">
      <h2 id="path">Path of the call</h2>
      <p className="mt-2 break-all">
        <code>
          {method} {path}
        </code>
      </p>
      <p className="mt-2">{adviceOnPath(path)}</p>
    </section>
  )
}

/** A stored body, as text: React escapes it. */
function Body({ id, title, text }: { readonly id: string; readonly title: string; readonly text: string | undefined }) {
  return text === undefined ? null : (
    <section aria-labelledby={id} className="mt-8">
      <h2 id={id}>{title}</h2>
      {isMasked(text) ? (
        <p className="label mt-1">Tokens, preimages and personal data are not stored. Long bodies are cut.</p>
      ) : null}
      <Json text={prettyJson(text)} />
    </section>
  )
}

/** Hidden until its reader asks for it: others may see the screen. */
function TravelRuleText({ format, text }: TravelRule) {
  return (
    <section aria-labelledby="travel-rule" className="mt-8">
      <h2 id="travel-rule">Travel rule information</h2>
      <p className="mt-2 text-muted">
        What the payer&rsquo;s VASP says about payer and payee, decrypted with this VASP&rsquo;s key. It is stored in
        this event only, and deleted with it.
      </p>
      <details className="mt-2">
        <summary className="tap">Show it{format === '' ? '' : ` (${withHiddenEscaped(format)})`}</summary>
        <Json text={prettyJson(text)} />
      </details>
    </section>
  )
}

function Json({ text }: { readonly text: string }) {
  return (
    <pre className="line mt-2 pt-2 whitespace-pre-wrap">
      <code>{text}</code>
    </pre>
  )
}

function Rule({ reference: { paragraph, rule, source } }: { readonly reference: Reference }) {
  return (
    <section aria-labelledby="rule" className="mt-8">
      <h2 id="rule" className="mb-2">
        Specification and source
      </h2>
      <dl>
        <DescriptionItem term="Paragraph">{paragraph}</DescriptionItem>
        <DescriptionItem term="Rule">{rule}</DescriptionItem>
        <DescriptionItem term="Source file">
          <code>{source}</code>
        </DescriptionItem>
      </dl>
    </section>
  )
}

interface AppSideProps {
  readonly reference: Reference
  readonly status: number
  readonly response: string | undefined
}

function AppSide({ reference: { command }, status, response }: AppSideProps) {
  if (command === undefined) return null
  const reply = nip47Reply(command, status, response)
  return (
    <section aria-labelledby="app" className="mt-8">
      <h2 id="app">What the app receives</h2>
      {command.name === 'get_budget' ? (
        <p className="mt-2">
          Nothing: the gateway makes this call itself, before it reserves part of the connection&rsquo;s budget.
        </p>
      ) : (
        <>
          <p className="mt-2 text-muted">
            The NWC method is <code>{command.name}</code> (NIP-47). The gateway passes this reply on, unless it refuses
            the call itself.
          </p>
          {reply === undefined ? <p className="mt-2">The response is too long to show here.</p> : <Json text={reply} />}
        </>
      )}
    </section>
  )
}
