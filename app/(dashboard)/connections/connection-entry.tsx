import { cache } from 'react'
import { COMMANDS } from 'uma-auth-vasp'
import { CallsLink } from '@/components/sandbox-slots'
import { DescriptionItem } from '@/components/ui/description-item'
import { Identicon } from '@/components/ui/identicon'
import { Moment } from '@/components/ui/time'
import { INSPECTOR_CLIENT } from '@/lib/connections/login-grants'
import type { ConnectionCard } from '@/lib/connections/queries'
import { confirmationLink, connectionAddress, connectionAnchor } from '@/lib/web/connection-links'

const STATES = {
  active: ['text-green', '● Active'],
  expired: ['text-muted', '○ Expired'],
  revoked: ['text-red', '× Revoked'],
} as const
const ENDINGS = { active: 'Expires', expired: 'Expired', revoked: 'Revoked' } as const

interface Props {
  readonly connection: ConnectionCard
  readonly now: Date
  /** Whether this server has a page with the calls of a connection. */
  readonly hasWire: boolean
}

export function ConnectionEntry({ connection, now, hasWire }: Props) {
  return (
    <li
      id={connectionAnchor(connection.id)}
      className="line scroll-mt-4 py-5"
      data-live={`${connection.id} ${connection.state} ${connection.name}`}
    >
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Identicon text={connection.id} />
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="text-lg break-words">
            <a className="row-link" href={connectionAddress(connection.id)}>
              {connection.name}
            </a>
          </h2>
          <ConnectionState state={connection.state} />
        </div>
        {connection.state === 'active' ? <Actions connection={connection} /> : null}
      </div>
      <ConnectionFacts connection={connection} now={now} hasWire={hasWire} />
    </li>
  )
}

export function ConnectionState({ state }: Pick<ConnectionCard, 'state'>) {
  const [colour, word] = STATES[state]
  return <p className={`text-sm ${colour}`}>{word}</p>
}

export function ConnectionFacts({ connection, now, hasWire }: Pick<Props, 'connection' | 'now' | 'hasWire'>) {
  return (
    <dl className="mt-4 grid grid-cols-2 gap-x-8 gap-y-3 md:grid-cols-[2fr_1fr_1fr_1fr]">
      <DescriptionItem className="min-w-0" term="Requested by">
        <Requester connection={connection} />
      </DescriptionItem>
      <DescriptionItem className="min-w-0" term="Connected">
        <Moment at={connection.createdAt} now={now} />
      </DescriptionItem>
      <DescriptionItem className="min-w-0" term="Last call">
        {connection.lastUsedAt === null ? 'none yet' : <Moment at={connection.lastUsedAt} now={now} />}
        {hasWire ? (
          <span className="block">
            <CallsLink connection={connection.id} label={`Calls of ${connection.name}`} />
          </span>
        ) : null}
      </DescriptionItem>
      <DescriptionItem className="min-w-0" term={ENDINGS[connection.state]}>
        <Ending connection={connection} now={now} />
      </DescriptionItem>
      <DescriptionItem className="col-span-full min-w-0" term={connection.state === 'active' ? 'Can' : 'Could'}>
        {commandList(connection.permissions.join(' '))}
      </DescriptionItem>
    </dl>
  )
}

/** The same list for equal permissions, so that React sends it once in a page's data. Names of commands, with blanks between them. */
const commandList = cache((permissions: string) => {
  const names = new Set(permissions.split(' '))
  return (
    <ul className="columns-2 gap-x-8 max-md:columns-1">
      {COMMANDS.filter(({ name }) => names.has(name)).map(({ name, summary }) => (
        <li key={name} title={name}>
          {summary}
        </li>
      ))}
    </ul>
  )
})

/** The client id of `npm run token`. An app's client id has no spaces. */
const TOKEN_COMMAND = 'npm run token'

function Requester({ connection: { appHost, clientId } }: { readonly connection: ConnectionCard }) {
  if (appHost === null && clientId === TOKEN_COMMAND)
    return (
      <>
        created by <code>{TOKEN_COMMAND}</code>
      </>
    )
  if (appHost === null && clientId === INSPECTOR_CLIENT) return <>created by the token inspector</>
  return (
    <>
      {appHost ?? "the gateway's own website"}
      {clientId === null ? null : <code className="block text-muted">{clientId}</code>}
    </>
  )
}

function Ending({ connection, now }: { readonly connection: ConnectionCard; readonly now: Date }) {
  const at = connection.revokedAt ?? connection.expiresAt
  return at === null ? 'never' : <Moment at={at} now={now} />
}

/** Links to the connection's page with the confirmation open. They need no script, and Back closes the confirmation. */
function Actions({ connection: { id, name } }: { readonly connection: ConnectionCard }) {
  return (
    <div className="flex flex-wrap items-start gap-3">
      <a className="button" href={confirmationLink('rename', id)} aria-label={`Rename ${name}`}>
        Rename
      </a>
      <a className="button button-danger" href={confirmationLink('revoke', id)} aria-label={`Revoke ${name}`}>
        Revoke
      </a>
    </div>
  )
}
