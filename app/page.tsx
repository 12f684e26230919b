import { hasSandboxTools } from '@/app/has-sandbox-tools'
import { Main } from '@/components/main'
import { News } from '@/components/news'
import { NewUserButton } from '@/components/sandbox-slots'
import { DescriptionItem } from '@/components/ui/description-item'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import { UserHeader } from '@/components/user-header'
import { currentUser } from '@/lib/accounts/sessions/current-user'
import { listTestUsers } from '@/lib/accounts/users'
import { application } from '@/lib/backend/application'
import { protocol } from '@/lib/backend/protocol'
import { isOnOwnMachine } from '@/lib/platform/local-sandbox'
import { gatewayAddress } from '@/lib/web/gateway-address'

export default async function HomePage() {
  const current = application()
  const { settings } = current
  const hasTools = await hasSandboxTools(current)
  const [user, testUsers, gateway] = await Promise.all([
    currentUser(current),
    hasTools ? listTestUsers(current) : [],
    gatewayAddress(settings),
  ])
  const requests = user === null ? undefined : await current.umaInvoices?.countOpenRequests(current.db, user.username)
  return (
    <>
      {user === null ? null : (
        <UserHeader user={user} gateway={gateway} requests={requests} developers={settings.sandboxTools} />
      )}
      <Main>
        <div className={`page pb-12 ${user === null ? 'pt-12' : 'line pt-6'}`}>
          {user === null ? null : <News username={user.username} requests={requests ?? 0} />}
          <div className="flex items-center justify-between gap-16">
            <div>
              <h1 className="max-w-3xl">
                {isOnOwnMachine(settings)
                  ? 'A complete UMA Auth wallet server, on your own machine.'
                  : 'A complete UMA Auth wallet server.'}
              </h1>
              <p className="mt-5 max-w-2xl text-lg text-pretty">
                {settings.vaspName} signs users in, issues tokens to gateways and answers their calls. The keys, tokens
                and database are real. The money is not.
              </p>
              <div className="mt-7 flex flex-wrap gap-3">
                <a className="button button-main" href={user === null ? '/login' : '/wallets'}>
                  {user === null ? 'Sign in' : `Wallets of ${user.displayName}`}
                </a>
                {user === null && hasTools ? <NewUserButton /> : null}
                {settings.sampleAppUrl === undefined ? null : (
                  <a className="button" href={settings.sampleAppUrl}>
                    Try the sample shop
                  </a>
                )}
                {gateway === null ? null : (
                  <a className="button" href={gateway}>
                    Open the gateway
                  </a>
                )}
              </div>
              {gateway === null ? (
                <p className="label mt-3">
                  No gateway is running at <code>{settings.gatewayRootUrl.origin}</code>.
                </p>
              ) : null}
            </div>
            <span className="opacity-75 max-lg:hidden">
              <Identicon text={settings.vaspDomain} size={264} fineness={4} />
            </span>
          </div>

          <div
            className={`mt-14 grid gap-x-12 gap-y-10 md:grid-cols-2 ${settings.sampleAppUrl === undefined ? '' : 'xl:grid-cols-3'}`}
          >
            <Door
              title="I run a wallet or a gateway"
              words={
                <>
                  Point your gateway at these addresses.{' '}
                  {settings.sandboxTools ? (
                    <>
                      The <Link href="/developers/gateway">gateway kit</Link> has all its settings, filled in, and shows
                      what arrives from it.
                    </>
                  ) : (
                    <>
                      <code>npm run gateway:config</code> prints its settings.
                    </>
                  )}
                </>
              }
            >
              <Row name="API base" value={`${settings.publicOrigin}${settings.apiBasePath}`} />
              <Row name="Token exchange" value={`${settings.publicOrigin}${settings.apiBasePath}/token`} />
              <Row name="Login redirect" value={`${settings.publicOrigin}/connect`} />
              <Row name="Commands" value={protocol().commands.join(', ')} />
            </Door>
            <Door
              title="I build an app"
              words="Your app reads the discovery document and runs OAuth against the gateway named there."
            >
              <Row
                name="Discovery"
                value={`${settings.publicOrigin}/.well-known/uma-configuration`}
                href="/.well-known/uma-configuration"
              />
              <Row name="OpenAPI" value={`${settings.publicOrigin}/openapi.json`} href="/openapi.json" />
              <Row
                name="Gateway"
                value={settings.gatewayRootUrl.href.replace(/\/$/, '')}
                {...(gateway === null ? {} : { href: gateway })}
              />
              <Row name="Health" value={`${settings.publicOrigin}/-/ready`} href="/-/ready" />
            </Door>
            {settings.sampleAppUrl === undefined ? null : (
              <Door
                title="Show me"
                words="A sample shop connects to a wallet by its address and pays over NWC, in five minutes, with no setup."
              >
                <Row name="The shop" value={settings.sampleAppUrl} href={settings.sampleAppUrl} />
                {testUsers.length === 0 ? null : (
                  <>
                    <Row name="Your address" value={`$alice@${settings.vaspDomain}`} />
                    <Row name="The shop&rsquo;s wallet" value={`$bob@${settings.vaspDomain}`} />
                  </>
                )}
                <Row name="See the result" value={`${settings.publicOrigin}/wallets`} href="/wallets" />
              </Door>
            )}
          </div>

          {testUsers.length > 0 ? (
            <section className="mt-14" aria-labelledby="users">
              <h2 id="users">Test users</h2>
              <ul className="mt-4">
                {testUsers.map((each) => (
                  <li key={each.username} className="line flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5">
                    <Identicon text={each.address} size={36} />
                    <span className="min-w-0 flex-1 items-baseline md:flex">
                      <span className="block w-28 font-serif text-lg leading-tight">{each.displayName}</span>
                      <code>{each.address}</code>
                    </span>
                    <span className="figures label">{each.currencyCodes.join(' · ')}</span>
                  </li>
                ))}
              </ul>
              <div className="double-rule" />
            </section>
          ) : null}
        </div>
      </Main>
    </>
  )
}

function Door({
  title,
  words,
  children,
}: {
  readonly title: string
  readonly words: React.ReactNode
  readonly children: React.ReactNode
}) {
  return (
    <section>
      <h2>{title}</h2>
      <p className="mt-2 mb-4 text-muted">{words}</p>
      <dl>{children}</dl>
    </section>
  )
}

function Row({ name, value, href }: { readonly name: string; readonly value: string; readonly href?: string }) {
  const text = <code>{value}</code>
  return (
    <DescriptionItem
      term={name}
      className="line grid grid-cols-[8.5rem_1fr] items-baseline gap-x-3 py-2 max-sm:grid-cols-1"
    >
      {href === undefined ? (
        text
      ) : (
        <a href={href} className="row-link">
          {text}
        </a>
      )}
    </DescriptionItem>
  )
}
