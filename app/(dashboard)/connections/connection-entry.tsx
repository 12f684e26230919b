import type { ReactNode } from 'react'
import { CallsLink } from '@/components/sandbox-slots'
import { DescriptionItem } from '@/components/ui/description-item'
import { Identicon } from '@/components/ui/identicon'
import { Moment } from '@/components/ui/time'
import { INSPECTOR_CLIENT, REFERENCE_CLIENT } from '@/lib/connections/login-grants'
import { permissionGroups } from '@/lib/connections/permission-groups'
import type { ConnectionCard } from '@/lib/connections/queries'
import { confirmationLink, connectionAddress, connectionAnchor } from '@/lib/web/connection-links'

const STATES = {
  active: ['text-green', '● Active'],
  expired: ['text-muted', '○ Expired'],
  revoked: ['text-red', '× Revoked'],
} as const
const ENDINGS = { active: 'Expires', expired: 'Expired', revoked: 'Revoked' } as const

/** An active connection without a call for so long is marked, so that it is found and revoked. */
const UNUSED_DAYS = 30
const DAY_MS = 86_400_000

interface Props {
  readonly connection: ConnectionCard
  readonly now: Date
}

interface EntryProps extends Props {
  /** What the app calls itself, if it is known. */
  readonly appName: string | undefined
  /** Whether this server has a page with the calls of a connection. */
  readonly hasWire: boolean
}

export function ConnectionEntry({ connection, now, appName, hasWire }: EntryProps) {
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
          <ConnectionState connection={connection} now={now} />
        </div>
        {connection.state === 'active' ? <ConnectionActions connection={connection} /> : null}
      </div>
      <ConnectionFacts connection={connection} now={now} appName={appName}>
        {hasWire ? (
          <span className="block">
            <CallsLink connection={connection.id} label={`Calls of ${connection.name}`} />
          </span>
        ) : null}
      </ConnectionFacts>
    </li>
  )
}

export function ConnectionState({ connection: { state, lastUsedAt, createdAt }, now }: Props) {
  const [colour, word] = STATES[state]
  const isUnused = state === 'active' && now.getTime() - (lastUsedAt ?? createdAt).getTime() > UNUSED_DAYS * DAY_MS
  return (
    <p className={`text-sm ${colour}`}>
      {word}
      {isUnused ? <span className="text-muted"> · Not used for {UNUSED_DAYS} days</span> : null}
    </p>
  )
}

interface FactsProps extends Props {
  /** What the app calls itself, if it is known. */
  readonly appName: string | undefined
  /** Below the last call. */
  readonly children?: ReactNode
  /** Lists each command of a group. */
  readonly detailed?: boolean
}

export function ConnectionFacts({ connection, now, appName, children, detailed = false }: FactsProps) {
  return (
    <dl className="mt-4 grid grid-cols-2 gap-x-8 gap-y-3 md:grid-cols-[2fr_1fr_1fr_1fr]">
      <DescriptionItem className="min-w-0" term="Requested by">
        <Requester connection={connection} name={appName} />
      </DescriptionItem>
      <DescriptionItem className="min-w-0" term="Connected">
        <Moment at={connection.createdAt} now={now} />
      </DescriptionItem>
      <DescriptionItem className="min-w-0" term="Last call">
        {connection.lastUsedAt === null ? 'none yet' : <Moment at={connection.lastUsedAt} now={now} />}
        {children}
      </DescriptionItem>
      <DescriptionItem className="min-w-0" term={ENDINGS[connection.state]}>
        <Ending connection={connection} now={now} />
      </DescriptionItem>
      <DescriptionItem className="col-span-full min-w-0" term={connection.state === 'active' ? 'Can' : 'Could'}>
        <Permissions connection={connection} detailed={detailed} />
      </DescriptionItem>
    </dl>
  )
}

function Permissions({ connection, detailed }: Pick<FactsProps, 'connection'> & { readonly detailed: boolean }) {
  const groups = permissionGroups(connection.permissions)
  if (!detailed)
    return (
      <ul className="flex flex-wrap gap-x-6">
        {groups.map(({ title, commands }) => (
          <li key={title} title={commands.map(({ name }) => name).join(', ')}>
            {title}
          </li>
        ))}
      </ul>
    )
  return (
    <ul className="grid gap-x-8 gap-y-3 md:grid-cols-2">
      {groups.map(({ title, commands }) => (
        <li key={title}>
          {title}
          <ul className="label">
            {commands.map(({ name, summary }) => (
              <li key={name} title={name}>
                {summary}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

/** The client id of `npm run token`. An app's client id has no spaces. */
const TOKEN_COMMAND = 'npm run token'

function Requester({
  connection: { appHost, clientId },
  name,
}: {
  readonly connection: ConnectionCard
  readonly name: string | undefined
}) {
  if (appHost === null && clientId === TOKEN_COMMAND)
    return (
      <>
        created by <code>{TOKEN_COMMAND}</code>
      </>
    )
  if (appHost === null && clientId === INSPECTOR_CLIENT) return <>created by the token inspector</>
  if (appHost === null && clientId === REFERENCE_CLIENT) return <>created by the API reference</>
  return (
    <>
      {appHost ?? "the gateway's own website"}
      {name === undefined ? null : (
        <span className="block">
          calls itself <q>{name}</q>
        </span>
      )}
      {clientId === null ? null : <code className="block text-muted">{clientId}</code>}
    </>
  )
}

function Ending({ connection, now }: { readonly connection: ConnectionCard; readonly now: Date }) {
  const at = connection.revokedAt ?? connection.expiresAt
  return at === null ? 'never' : <Moment at={at} now={now} />
}

/** Links to the connection's page with the confirmation open. They need no script, and Back closes the confirmation. */
export function ConnectionActions({ connection: { id, name } }: { readonly connection: ConnectionCard }) {
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
