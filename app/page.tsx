import type { ReactNode } from 'react'
import { hasSandboxTools } from '@/app/has-sandbox-tools'
import { BankHeader } from '@/components/bank-link'
import { LiveEvents } from '@/components/live-events'
import { LivePage } from '@/components/live-page'
import { Main } from '@/components/main'
import { News } from '@/components/news'
import { NewUserButton } from '@/components/sandbox-slots'
import { Amount } from '@/components/ui/amount'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import { userHeader } from '@/components/user-header'
import { application, type Application } from '@/lib/backend/application'
import { listConnections, type ConnectionCard } from '@/lib/connections/queries'
import { isOnOwnMachine } from '@/lib/platform/local-sandbox'
import { listWallets, type StatementLine, type WalletCard } from '@/lib/wallets/queries'
import type { Frame } from '@/lib/web/frame'
import { pageFrame } from './(dashboard)/require-user'
import { hrefOf, LineText } from './(dashboard)/wallets/line-text'

const LATEST_LINES = 6
const LATEST_CONNECTIONS = 5
const DOCUMENTS = [
  ['/.well-known/uma-configuration', 'Discovery document'],
  ['/openapi.json', 'OpenAPI document'],
] as const

/** The overview of a signed-in user, and the entrance for everyone else. */
export default async function HomePage() {
  const frame = await pageFrame()
  return frame === null || frame === 'suspended' ? <Entrance app={application()} /> : <Overview frame={frame} />
}

async function Overview({ frame }: { readonly frame: Frame }) {
  const { db, rates, clock } = application()
  const { user } = frame
  const [wallets, { connections, olderThan }] = await Promise.all([
    listWallets(db, user.username, rates.current().rateOf),
    listConnections({ db }, user.username, { tab: 'active', size: LATEST_CONNECTIONS }),
  ])
  return (
    <LiveEvents username={user.username} afterId={frame.newestEventId?.toString()}>
      {await userHeader(frame)}
      <LivePage kinds={['payment', 'invoice', 'wallet', 'connection']} />
      <Main>
        <div className="page line pb-12">
          <News connections={frame.connections} requests={frame.requests} />
          <div className="flex flex-wrap items-end justify-between gap-4 py-8">
            <h1>Hello, {user.displayName}</h1>
            <p className="flex gap-3">
              <Link className="button" href="/wallets/receive">
                Receive
              </Link>
              <Link className="button button-main" href="/wallets/send">
                Send
              </Link>
            </p>
          </div>
          <Balances wallets={wallets} />
          <div className="mt-10 grid gap-x-16 gap-y-10 lg:grid-cols-[1fr_20rem]">
            <Payments wallets={wallets} now={clock.now()} />
            <Connections connections={connections} hasMore={olderThan !== null} now={clock.now()} />
          </div>
        </div>
      </Main>
    </LiveEvents>
  )
}

function Balances({ wallets }: { readonly wallets: readonly WalletCard[] }) {
  return (
    <section aria-labelledby="balances">
      <h2 id="balances" className="sr-only">
        Balances
      </h2>
      {wallets.length === 0 ? <p className="line py-5">You have no wallet.</p> : null}
      <ul>
        {wallets.map(({ currency: { code, name }, available }) => (
          <li
            key={code}
            className="line flex flex-wrap items-baseline justify-between gap-x-6 py-3"
            data-live={`${code} ${available}`}
          >
            <Link className="row-link text-ink" href={`/wallets/${code}`}>
              {name}
            </Link>
            <span className="font-serif text-xl">
              <Amount units={available} code={code} />
            </span>
          </li>
        ))}
      </ul>
      <div className="double-rule" />
    </section>
  )
}

function Payments({ wallets, now }: { readonly wallets: readonly WalletCard[]; readonly now: Date }) {
  const lines = wallets
    .flatMap(({ currency, latest }) => latest.map((line) => ({ line, code: currency.code })))
    .toSorted((a, b) => byTime(a.line, b.line))
    .slice(0, LATEST_LINES)
  return (
    <section aria-labelledby="payments" className="min-w-0">
      <h2 id="payments" className="pb-2">
        Latest entries
      </h2>
      {lines.length === 0 ? <p className="line py-3 text-muted">No recent entries.</p> : null}
      <ul>
        {lines.map(({ line, code }) => (
          <li
            key={`${code} ${line.id}`}
            data-live={`${code} ${line.id} ${line.amount}`}
            className="line grid grid-cols-[1fr_auto] items-baseline gap-x-4 py-2 md:grid-cols-[8rem_1fr_auto]"
          >
            <span className="label max-md:order-last">
              <Moment at={line.at} now={now} />
            </span>
            <span className="min-w-0 break-words">
              <LineText text={line.text} memo={line.memo} href={hrefOf(line.about)} />
            </span>
            <Amount units={line.amount} code={code} signed />
          </li>
        ))}
      </ul>
    </section>
  )
}

function byTime(a: StatementLine, b: StatementLine): number {
  return b.at.getTime() - a.at.getTime() || Number(b.id - a.id)
}

interface ConnectionsProps {
  readonly connections: readonly ConnectionCard[]
  readonly hasMore: boolean
  readonly now: Date
}

function Connections({ connections, hasMore, now }: ConnectionsProps) {
  return (
    <section aria-labelledby="connections" className="min-w-0">
      <h2 id="connections" className="pb-2">
        Connections
      </h2>
      {connections.length === 0 ? <p className="line py-3 text-muted">No app is connected to your wallet.</p> : null}
      <ul>
        {connections.map(({ id, name, lastUsedAt }) => (
          <li key={id} className="line py-2" data-live={id}>
            <Link className="row-link break-words text-ink decoration-rule" href={`/connections/${id}`}>
              {name}
            </Link>
            <span className="label block">
              {lastUsedAt === null ? (
                'Not used yet'
              ) : (
                <>
                  Used <Moment at={lastUsedAt} now={now} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {hasMore ? (
        <p className="line">
          <Link className="tap" href="/connections">
            All connections
          </Link>
        </p>
      ) : null}
    </section>
  )
}

async function Entrance({ app }: { readonly app: Application }) {
  const { settings } = app
  const { vaspName, sampleAppUrl } = settings
  const hasTools = await hasSandboxTools(app)
  return (
    <Main header={<BankHeader />}>
      <div className="page py-12">
        <div className="flex items-center justify-between gap-16">
          <div>
            <h1 className="max-w-3xl">
              {isOnOwnMachine(settings)
                ? 'A complete UMA Auth wallet server, on your own machine.'
                : 'A complete UMA Auth wallet server.'}
            </h1>
            <p className="mt-5 max-w-2xl text-lg text-pretty">
              {vaspName} signs users in, issues tokens to gateways and answers their calls. The keys, tokens and
              database are real. The money is not.
            </p>
          </div>
          <span className="opacity-75 max-lg:hidden">
            <Identicon text={settings.vaspDomain} size={220} fineness={4} />
          </span>
        </div>
        <ul className="mt-12 grid gap-x-12 gap-y-8 md:grid-cols-3">
          <Door
            title="Use the wallet"
            words={`Sign in as a user of ${vaspName}, and send, receive and convert money.`}
            button={
              <Link className="button button-main" href="/login">
                Sign in
              </Link>
            }
          />
          {hasTools ? (
            <Door
              title="Build an app or a gateway"
              words="Get a user of your own with test money, and see every call that your program makes."
              button={<NewUserButton />}
            />
          ) : null}
          {sampleAppUrl === undefined ? null : (
            <Door
              title="See it work"
              words="A sample shop connects to a wallet by its address and pays over NWC, with no setup."
              button={
                <a className="button" href={sampleAppUrl}>
                  Try the sample shop
                </a>
              }
            />
          )}
        </ul>
        <p className="line mt-12 flex flex-wrap gap-x-6 pt-1">
          {settings.sandboxTools ? (
            <Link className="tap" href="/developers/gateway">
              Gateway kit
            </Link>
          ) : null}
          {DOCUMENTS.map(([href, name]) => (
            <a key={href} className="tap" href={href}>
              {name}
            </a>
          ))}
        </p>
      </div>
    </Main>
  )
}

interface DoorProps {
  readonly title: string
  readonly words: string
  readonly button: ReactNode
}

function Door({ title, words, button }: DoorProps) {
  return (
    <li className="double-rule flex flex-col items-start pt-4">
      <h2>{title}</h2>
      <p className="mt-2 mb-5 flex-1 text-muted">{words}</p>
      {button}
    </li>
  )
}
