import type { ReactNode } from 'react'
import { Moment } from '@/app/_components/time'
import { Guilloche } from '@/app/_components/guilloche'
import type { ConnectionCard } from '@/lib/connections/queries'
import { COMMANDS } from '@/lib/gateway/commands'

const STATES = {
  active: ['text-green', '● Works'],
  expired: ['text-muted', '○ Expired'],
  revoked: ['text-red', '× Revoked'],
} as const
const ENDINGS = { active: 'Ends', expired: 'Ended', revoked: 'Revoked' } as const

export function ConnectionEntry({ connection, now }: { readonly connection: ConnectionCard; readonly now: Date }) {
  const [colour, word] = STATES[connection.state]
  return (
    <li className="line py-5">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Guilloche of={connection.id} />
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="text-lg break-words">{connection.name}</h2>
          <p className={`text-sm ${colour}`}>{word}</p>
        </div>
        {connection.state === 'active' ? <Actions connection={connection} /> : null}
      </div>
      <dl className="mt-4 grid grid-cols-2 gap-x-8 gap-y-3 min-[720px]:grid-cols-[2fr_1fr_1fr_1fr]">
        <Fact name="Asked for at sign-in by">
          {connection.appHost ?? "the gateway's own site"}
          {connection.clientId === null ? null : <code className="block text-muted">{connection.clientId}</code>}
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
                {command.plainWords}
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
    </li>
  )
}

function Ending({ connection, now }: { readonly connection: ConnectionCard; readonly now: Date }) {
  const at = connection.revokedAt ?? connection.expiresAt
  return at === null ? 'when revoked' : <Moment at={at} now={now} />
}

function Actions({ connection }: { readonly connection: ConnectionCard }) {
  return (
    <div className="flex flex-wrap items-start gap-3">
      <details className="max-[719px]:open:order-last max-[719px]:open:basis-full">
        <summary className="button list-none">Rename</summary>
        <form method="post" action="/connections/rename" className="mt-2 flex gap-2">
          <input type="hidden" name="id" value={connection.id} />
          <input
            className="field w-52"
            name="name"
            aria-label={`New name of ${connection.name}`}
            defaultValue={connection.name}
            maxLength={80}
            required
          />
          <button className="button">Save</button>
        </form>
      </details>
      <form method="post" action="/connections/revoke">
        <input type="hidden" name="id" value={connection.id} />
        <button className="button button-grave" aria-label={`Revoke ${connection.name}`}>
          Revoke
        </button>
      </form>
    </div>
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
