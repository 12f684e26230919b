import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { requireSandboxTools } from '@/app/sandbox/tool-page'
import { Alert } from '@/components/ui/alert'
import { Amount } from '@/components/ui/amount'
import { DescriptionItem, DescriptionTotal } from '@/components/ui/description-item'
import { Field } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { PAYING_COMMANDS } from '@/lib/connections/queries'
import { findEvent } from '@/lib/events/queries'
import { currencyOf } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import { costOfCall, type CallCost } from '@/lib/sandbox/api-reference/cost'
import { inputsOf, readCall } from '@/lib/sandbox/api-reference/typed-call'
import { prettyJson } from '@/lib/sandbox/wire/details'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { endpointOfCommand, sendErrors, sendPage } from '../reference'

interface Props {
  readonly params: Promise<{ readonly command: string }>
  readonly searchParams: SearchParams
}

export async function generateMetadata({ params }: Pick<Props, 'params'>): Promise<Metadata> {
  await requireSandboxTools()
  const found = endpointOfCommand((await params).command)
  if (found === undefined) notFound()
  return { title: `Send ${found.command}` }
}

/** A form that sends one call as the signed-in user, and its answer. */
export default async function SendPage({ params, searchParams }: Props) {
  const { username } = await requireSandboxTools()
  const found = endpointOfCommand((await params).command)
  if (found === undefined) notFound()
  const { command, endpoint } = found
  const { method, path, description } = endpoint
  const query = await searchParams
  const inputs = inputsOf(endpoint)
  const typed = Object.fromEntries(inputs.map(({ name }) => [name, singleParam(query[name]) ?? '']))
  const errors = readFormError(sendErrors(endpoint), singleParam(query.error))
  const call = readCall(endpoint, typed)
  const asks = PAYING_COMMANDS.includes(command) && query.ask === 'yes' && 'url' in call
  return (
    <div className="max-w-3xl py-8">
      <Link className="tap" href={`/developers/api#${command}`}>
        API reference
      </Link>
      <h1 className="break-words">Send {command}</h1>
      <p className="mt-3">
        <code className="break-all">{`${method} ${path}`}</code>
      </p>
      <p className="mt-2 text-muted">{description}</p>
      <p className="mt-2 text-muted">
        This server sends the call as you, through a connection named “made in the API reference”. It creates the
        connection when you have none. The connection ends after an hour, and you can revoke it under{' '}
        <Link href="/connections">Connections</Link>. No token leaves the server.
      </p>
      {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}
      {asks ? (
        <Question
          command={command}
          typed={typed}
          title={`${method} ${path}`}
          cost={await costOfCall(application(), username, command, call)}
        />
      ) : (
        <UserForm action="/sandbox/forms/send-call" className="mt-6 grid gap-5" busy="Waiting for the answer …">
          <Hidden command={command} />
          {inputs.map(({ name, type, place, isRequired, description: about }) => (
            <Field
              key={name}
              label={isRequired ? name : `${name} (optional)`}
              name={name}
              value={typed[name] ?? ''}
              error={errors[name]}
              maxLength={4_000}
              hint={`${type}${place === 'body' ? '' : `, in the ${place}`}${about === undefined ? '' : `. ${about}`}`}
            />
          ))}
          <p>
            <button className="button button-sandbox">Send call</button>
          </p>
        </UserForm>
      )}
      <Answer
        username={username}
        call={`${method} ${path}`}
        eventId={singleParam(query.event) ?? ''}
        unstored={singleParam(query.unstored) ?? ''}
      />
    </div>
  )
}

function Hidden({ command }: { readonly command: string }) {
  return (
    <>
      <input type="hidden" name="command" value={command} />
      <input type="hidden" name="request_id" value={application().ids.uuid()} />
    </>
  )
}

interface QuestionProps {
  readonly command: string
  readonly typed: Readonly<Record<string, string>>
  /** Method and path. */
  readonly title: string
  readonly cost: CallCost
}

/** Shows what will be sent and what it costs, before a call moves money. */
function Question({ command, typed, title, cost }: QuestionProps) {
  const { debit, walletCode, payee, isMaximum, problem } = cost
  const values = Object.entries(typed).filter(([, value]) => value.trim() !== '')
  return (
    <section id="question" tabIndex={-1} aria-labelledby="question-title" className="mt-8 scroll-mt-32 outline-none">
      <h2 id="question-title">Send this call?</h2>
      <p className="mt-2">This call can move money. It does not count against a budget at the gateway.</p>
      <dl className="mt-4">
        <DescriptionItem term="Call">
          <code className="break-all">{title}</code>
        </DescriptionItem>
        {values.map(([name, value]) => (
          <DescriptionItem key={name} term={name}>
            <span className="break-all">{value}</span>
          </DescriptionItem>
        ))}
        {payee === undefined || payee === typed.receiver_address ? null : (
          <DescriptionItem term="To">
            <span className="break-all">{payee}</span>
          </DescriptionItem>
        )}
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
      </dl>
      <div className="double-rule" />
      {problem === undefined ? null : <p className="mt-4 max-w-2xl border-l-2 border-ochre pl-3">Note: {problem}</p>}
      <UserForm
        action="/sandbox/forms/send-call"
        className="mt-6 flex flex-wrap items-center gap-x-5 gap-y-3"
        busy="Waiting for the answer …"
      >
        <Hidden command={command} />
        <input type="hidden" name="confirmed" value="yes" />
        {values.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <button className="button button-main">{buttonOf(cost)}</button>
        <Link className="tap" href={`${sendPage(command)}?${new URLSearchParams(values)}`}>
          Cancel
        </Link>
      </UserForm>
    </section>
  )
}

/** The button names its result. A call that would be refused now is still sent: its error may be what the user wants to see. */
function buttonOf({ debit, walletCode, problem }: CallCost): string {
  if (debit === undefined || walletCode === undefined || problem !== undefined) return 'Send call'
  return `Send and pay ${formatAmount(debit, walletCode)} ${walletCode}`
}

interface AnswerProps {
  readonly username: string
  /** Method and path. */
  readonly call: string
  readonly eventId: string
  /** Status of an answer whose event was not stored. */
  readonly unstored: string
}

/** Reads the answer from the call's event, which only its owner sees. */
async function Answer({ username, call, eventId, unstored }: AnswerProps) {
  const event = /^\d{1,18}$/.test(eventId)
    ? await findEvent(application(), { userId: username, withUnowned: false }, BigInt(eventId))
    : undefined
  if (event?.kind !== 'api_call' || event.name !== call)
    return /^[1-5]\d\d$/.test(unstored) ? (
      <output id="answer" tabIndex={-1} className="mt-8 block scroll-mt-32 outline-none">
        The call was answered with {unstored}. Its event was not stored, because the server is busy.
      </output>
    ) : null
  return (
    <section id="answer" tabIndex={-1} aria-labelledby="answer-title" className="mt-8 scroll-mt-32 outline-none">
      <h2 id="answer-title">Answer {event.status}</h2>
      <p className="mt-2">
        <Link href={`/developers/wire/${event.id}`}>The call on The Wire</Link> shows its checks. Secrets are masked,
        and long answers are cut.
      </p>
      <pre className="line mt-2 pt-2 break-all whitespace-pre-wrap">
        <code>{prettyJson(event.detail.response ?? '')}</code>
      </pre>
    </section>
  )
}
