import type { ReactNode } from 'react'
import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import { Alert, Success } from '@/components/ui/alert'
import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import { csrfToken } from '@/lib/accounts/sign-in/csrf'
import { application } from '@/lib/backend/application'
import { isLocalSandbox } from '@/lib/platform/local-sandbox'
import { siteListens } from '@/lib/platform/net/site-listens'
import { PAYER, shopStart, shopUrl, spendingConnections } from '@/lib/sandbox/show/shop-places'
import { listDeskUsers } from '@/lib/sandbox/users/sandbox-page'
import { CONFIRMATION } from '@/lib/web/connection-links'
import { gatewayAddress } from '@/lib/web/gateway-address'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { Confirmation } from '../connections/confirmation'
import { Calls } from './calls'
import { NextOutcome, NextQuestion } from './next-audience'
import { AppLink, Step, Text } from './step'

export const generateMetadata = toolsTitle('Show')

interface Props {
  readonly searchParams: SearchParams
}

/** The story of UMA Auth for an audience, step by step. What an audience should not see yet is not on the page. */
export default async function ShowPage({ searchParams }: Props) {
  const reader = await requireSandboxTools()
  const current = application()
  const { settings } = current
  const params = await searchParams
  const [shop, gateway] = [shopUrl(settings), await gatewayAddress(settings)]
  const isShopAway = shop !== undefined && isLocalSandbox(settings) && !(await siteListens(new URL(shop)))
  const confirming = singleParam(params.confirm)
  const showsCalls = singleParam(params.calls) === 'shown'
  const isRevoked = singleParam(params.revoked) !== undefined
  const calls: Readonly<Record<string, string>> = showsCalls ? { calls: 'shown' } : {}
  const cancel = (
    <a className="button" href={showAddress(calls, confirming === 'next' ? 'next' : 'revoked')}>
      Cancel
    </a>
  )
  return (
    <div className="big-type py-8">
      <h1>Show</h1>
      <Text>
        UMA Auth in eight steps, from a shop to a revoked connection. The shop opens in a tab beside this one.
      </Text>
      {shop === undefined ? (
        <Alert>This server knows no shop. Set SAMPLE_APP_URL to its address, as npm run demo does.</Alert>
      ) : isShopAway ? (
        <Alert>The shop at {shop} does not answer. Start it, as npm run demo does, and load this page again.</Alert>
      ) : null}
      {reader.username === PAYER ? (
        <Silent csrf={await csrfToken(settings)} password={settings.printedPassword} />
      ) : null}
      <ol className="mt-8">
        <Step id="shop" number={1} title="The shop asks for a wallet">
          <Text>
            An address is enough to find the wallet’s gateway. Choose <b>Connect</b>, then continue to the gateway.
          </Text>
          {shop === undefined ? null : (
            <p className="actions mt-4">
              <a className="button button-main" href={shopStart(shop, settings)} target="_blank" rel="noopener">
                Open the shop<span className="sr-only"> in a new tab</span>
              </a>
            </p>
          )}
        </Step>
        <Step id="sign-in" number={2} title={`Sign in at ${settings.vaspName}`}>
          <Text>
            The gateway sends the browser to the wallet’s provider, which names the shop. Continue as <b>Alice</b>.
          </Text>
          <p className="actions mt-4">
            <AppLink href="/login">The sign-in page</AppLink>
          </p>
        </Step>
        <Step id="approval" number={3} title="Approve">
          <Text>
            What may the shop do, how much may it spend, and until when? Choose <b>Connect</b>: the shop gets a key for
            exactly this.
          </Text>
          {gateway === null ? null : (
            <p className="actions mt-4">
              <AppLink href={gateway}>Connections at the gateway</AppLink>
            </p>
          )}
        </Step>
        <Step id="payment" number={4} title="Pay">
          <Text>
            Buy the linen thread, and choose <b>Pay</b>. The shop asks the wallet, and no one types a card number.
          </Text>
          <Catalogue shop={shop} />
        </Step>
        <Step id="calls" number={5} title="The calls as they happen">
          <Text>Each call and message of {reader.displayName}’s wallet, with the checks behind it.</Text>
          <p className="actions mt-4">
            <a className="button" href={showAddress(showsCalls ? {} : { calls: 'shown' }, 'calls')}>
              {showsCalls ? 'Hide the calls' : 'Show the calls'}
            </a>
            <Link className="tap" href="/developers/wire">
              The Wire
            </Link>
          </p>
          {showsCalls ? <Calls username={reader.username} /> : null}
        </Step>
        <Step id="budget" number={6} title="Over the budget">
          <Text>
            Buy the bench press, and choose <b>Pay</b>. It costs more than the budget: the gateway refuses before the
            wallet is asked to pay.
          </Text>
          <Catalogue shop={shop} />
        </Step>
        <Step id="revoked" number={7} title="Revoke">
          <Text>
            Take the key back, then choose <b>Pay</b> in the shop again. The wallet refuses at once.
          </Text>
          {isRevoked ? <Success>Revoked. The shop’s next call is refused.</Success> : null}
          {confirming === 'revoke' ? (
            <RevokeQuestion
              count={(await spendingConnections(current, reader.username)).length}
              reader={reader.displayName}
              showsCalls={showsCalls}
              cancel={cancel}
            />
          ) : isRevoked ? null : (
            <p className="actions mt-4">
              <a className="button" href={showAddress({ ...calls, confirm: 'revoke' }, CONFIRMATION)}>
                Revoke the shop
              </a>
            </p>
          )}
        </Step>
        <Step id="next" number={8} title="Next audience">
          <Text>
            Wallets, connections and the shop as before the show. Statements and the Wire keep what happened. You stay
            signed in as {reader.displayName}.
          </Text>
          <NextOutcome
            reset={singleParam(params.reset)}
            pending={singleParam(params.pending)}
            pairing={singleParam(params.shop)}
            shop={shop}
            gateway={settings.gatewayRootUrl.origin}
          />
          {confirming === 'next' ? (
            <NextQuestion
              count={(await listDeskUsers(current)).length}
              reader={reader.displayName}
              hasShop={shop !== undefined}
              cancel={cancel}
            />
          ) : (
            <p className="actions mt-4">
              <a className="button" href={showAddress({ ...calls, confirm: 'next' }, CONFIRMATION)}>
                Next audience
              </a>
            </p>
          )}
        </Step>
      </ol>
      <div className="double-rule" />
    </div>
  )
}

/** For links that load the page as a whole: another tab may have signed in another user, and the page is then that user's. */
function showAddress(query: Readonly<Record<string, string>>, fragment: string): string {
  return `/show?${new URLSearchParams(query)}#${fragment}`
}

function Catalogue({ shop }: { readonly shop: string | undefined }) {
  return shop === undefined ? null : (
    <p className="actions mt-4">
      <AppLink href={`${shop}/`}>The catalogue</AppLink>
    </p>
  )
}

/** The payer is signed in already, so the sign-in page appears only after the presenter has become someone else. */
function Silent({ csrf, password }: { readonly csrf: string; readonly password: string | undefined }) {
  return (
    <>
      <Text>
        You are signed in as Alice, so no page asks in step 2. To show the sign-in page, continue as someone else first.
      </Text>
      {password === undefined ? null : (
        <form method="post" action="/api/auth/callback/credentials" className="mt-4">
          <input type="hidden" name="csrfToken" value={csrf} />
          <input type="hidden" name="callbackUrl" value="/show" />
          <input type="hidden" name="password" value={password} />
          <button className="button" name="username" value="khalid">
            Continue as Khalid
          </button>
        </form>
      )}
    </>
  )
}

interface RevokeProps {
  /** Connections with which the shop can spend. */
  readonly count: number
  /** Name of the signed-in user. */
  readonly reader: string
  readonly showsCalls: boolean
  readonly cancel: ReactNode
}

function RevokeQuestion({ count, reader, showsCalls, cancel }: RevokeProps) {
  if (count === 0)
    return (
      <>
        <Alert>The shop cannot pay from {reader}’s wallet, so there is nothing to revoke. Connect it first.</Alert>
        <p className="actions mt-4">{cancel}</p>
      </>
    )
  return (
    <Confirmation
      title="Revoke the shop?"
      text={`The shop loses access to ${reader}’s wallet on its next call. Payments in progress end as usual. You cannot undo this.`}
    >
      <UserForm action="/sandbox/show/revoke">
        {showsCalls ? <input type="hidden" name="calls" value="shown" /> : null}
        <button className="button button-danger">Revoke the shop</button>
      </UserForm>
      {cancel}
    </Confirmation>
  )
}
