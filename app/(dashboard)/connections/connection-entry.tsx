import type { ReactNode } from 'react'
import { Moment } from '@/components/ui/time'
import { Guilloche } from '@/components/ui/identicon'
import type { ConnectionCard } from '@/lib/connections/queries'
import { COMMANDS } from 'uma-auth-vasp'
import { Cancel, Question } from './confirmation'
import { QUESTION, anchorOf, askAbout, type ConnectionQuestion } from '@/lib/ui/connection-links'
import { PersonForm } from '@/components/user-form'

const STATES = {
  active: ['text-green', '● Works'],
  expired: ['text-muted', '○ Expired'],
  revoked: ['text-red', '× Revoked'],
} as const
const ENDINGS = { active: 'Ends', expired: 'Ended', revoked: 'Revoked' } as const

interface Props {
  readonly connection: ConnectionCard
  readonly now: Date
  /** What is asked about this connection just now, below its head. */
  readonly asking?: ConnectionQuestion | undefined
}

export function ConnectionEntry({ connection, now, asking }: Props) {
  const [colour, word] = STATES[connection.state]
  return (
    <li id={anchorOf(connection.id)} className="line scroll-mt-4 py-5">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Guilloche of={connection.id} />
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="text-lg break-words">{connection.name}</h2>
          <p className={`text-sm ${colour}`}>{word}</p>
        </div>
        {connection.state === 'active' ? <Actions connection={connection} /> : null}
      </div>
      {asking === 'rename' ? <RenameQuestion connection={connection} /> : null}
      {asking === 'revoke' ? <RevokeQuestion connection={connection} /> : null}
      <dl className="mt-4 grid grid-cols-2 gap-x-8 gap-y-3 min-[720px]:grid-cols-[2fr_1fr_1fr_1fr]">
        <Fact name="Asked for at sign-in by">
          <Requester connection={connection} />
        </Fact>
        <Fact name="Since">
          <Moment at={connection.createdAt} now={now} />
        </Fact>
        <Fact name="Last call">
          {connection.lastUsedAt === null ? 'none yet' : <Moment at={connection.lastUsedAt} now={now} />}
        </Fact>
        <Fact name={ENDINGS[connection.state]}>
          <Ending connection={connection} now={now} />
        </Fact>
        <Fact name={connection.state === 'active' ? 'May' : 'Was allowed to'} wide>
          <ul className="columns-2 gap-x-8 max-[719px]:columns-1">
            {COMMANDS.filter((command) => connection.permissions.includes(command.name)).map((command) => (
              <li key={command.name} title={command.name}>
                {command.summary}
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
    </li>
  )
}

/** What `npm run token` names itself; no client id of an app has blanks. */
const TOKEN_COMMAND = 'npm run token'

function Requester({ connection: { appHost, clientId } }: { readonly connection: ConnectionCard }) {
  if (appHost === null && clientId === TOKEN_COMMAND)
    return (
      <>
        made by <code>{TOKEN_COMMAND}</code>
      </>
    )
  return (
    <>
      {appHost ?? "the gateway's own site"}
      {clientId === null ? null : <code className="block text-muted">{clientId}</code>}
    </>
  )
}

function Ending({ connection, now }: { readonly connection: ConnectionCard; readonly now: Date }) {
  const at = connection.revokedAt ?? connection.expiresAt
  return at === null ? 'when revoked' : <Moment at={at} now={now} />
}

/** Links to this page with the question open: no script is needed, nothing moves, and Back takes it away again. */
function Actions({ connection: { id, name } }: { readonly connection: ConnectionCard }) {
  return (
    <div className="flex flex-wrap items-start gap-3">
      <a className="button" href={askAbout('rename', id)} aria-label={`Rename ${name}`}>
        Rename
      </a>
      <a className="button button-grave" href={askAbout('revoke', id)} aria-label={`Revoke ${name}`}>
        Revoke
      </a>
    </div>
  )
}

function RenameQuestion({ connection: { id, name } }: { readonly connection: ConnectionCard }) {
  return (
    <PersonForm action="/connections/rename" className="mt-4 border-l-2 border-accent pl-3">
      <input type="hidden" name="id" value={id} />
      <label className="grid max-w-2xl gap-1">
        <span className="label">New name</span>
        <input
          id={QUESTION}
          className="field scroll-mt-32"
          name="name"
          aria-label={`New name of ${name}`}
          defaultValue={name}
          maxLength={80}
          required
        />
      </label>
      <p className="mt-3 flex flex-wrap gap-3">
        <button className="button button-main">Save</button>
        <Cancel to={`/connections#${anchorOf(id)}`}>Cancel</Cancel>
      </p>
    </PersonForm>
  )
}

function RevokeQuestion({ connection: { id, name } }: { readonly connection: ConnectionCard }) {
  return (
    <Question
      title={`Revoke ${name}?`}
      words="The next call with its token is refused. This cannot be undone; the app can ask you again."
    >
      <PersonForm action="/connections/revoke">
        <input type="hidden" name="id" value={id} />
        <button className="button button-grave" aria-label={`Yes, revoke ${name}`}>
          Yes, revoke
        </button>
      </PersonForm>
      <Cancel to={`/connections#${anchorOf(id)}`}>Keep it</Cancel>
    </Question>
  )
}

interface FactProps {
  readonly name: string
  readonly children: ReactNode
  /** Across all columns. */
  readonly wide?: boolean
}

function Fact({ name, children, wide = false }: FactProps) {
  return (
    <div className={`min-w-0 ${wide ? 'col-span-full' : ''}`}>
      <dt className="label">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  )
}
