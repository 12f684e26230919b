import { Success } from '@/components/ui/alert'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import type { ReceivingConnection } from '@/lib/connections/queries'
import { shopkeeperOf, type DeskUser } from '@/lib/sandbox/users/sandbox-page'
import { CONFIRMATION } from '@/lib/web/connection-links'
import { Confirmation } from '../connections/confirmation'

const UNPAIR =
  'The shop loses access to every wallet it is paired with on its next call. It can sell nothing until you pair it again. Payments in progress end as usual.'

interface Props {
  /** Without a trailing slash. */
  readonly url: string
  readonly connections: readonly ReceivingConnection[]
  readonly users: readonly DeskUser[]
  readonly now: Date
  readonly isConfirming: boolean
  readonly isUnpaired: boolean
}

/** Whether the sample shop has a wallet to be paid in, and the ways to pair and unpair it. */
export function Shop({ url, connections, users, now, isConfirming, isUnpaired }: Props) {
  const keeper = shopkeeperOf(users)
  const isPaired = connections.length > 0
  return (
    <section aria-labelledby="shop" className="mt-12">
      <h2 id="shop" className="scroll-mt-32">
        Shop
      </h2>
      <p className="mt-2 max-w-2xl text-muted">
        The sample shop is paid into the wallet of one user, usually Bob&rsquo;s. Pairing takes you through the shop,
        the gateway and the sign-in, and back to this page. Afterwards this browser is signed in as that user.
      </p>
      {isUnpaired && !isPaired ? <Success>The shop is unpaired. Its next call is refused.</Success> : null}
      {isPaired ? (
        <ul className="mt-3">
          {connections.map(({ id, username, createdAt, lastUsedAt }) => (
            <li key={id} className="line py-3" data-live={id}>
              <span className="text-green">● Paired</span> with{' '}
              <code className="break-words">
                {users.find((user) => user.username === username)?.address ?? username}
              </code>
              <span className="label block">
                Connected <Moment at={createdAt} now={now} />
                {lastUsedAt === null ? (
                  ', not used yet'
                ) : (
                  <>
                    , used <Moment at={lastUsedAt} now={now} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="line mt-3 py-3">
          <span className="text-red">× Not paired</span>
          <span className="label block">
            A wallet that was connected with a pairing URI is listed under the connections of its user only.
          </span>
        </p>
      )}
      <div className="double-rule" />
      <p className="actions mt-4">
        {keeper === undefined ? null : (
          <a
            className={isPaired ? 'button' : 'button button-main'}
            href={`${url}/merchant?${new URLSearchParams({ address: keeper.address, back: 'desk' })}`}
          >
            {isPaired ? 'Pair again' : 'Pair the shop'}
          </a>
        )}
        {isPaired ? (
          <a className="button" href={`/sandbox?confirm=unpair#${CONFIRMATION}`}>
            Unpair the shop
          </a>
        ) : null}
        <a className="button" href={url}>
          Open the shop
        </a>
      </p>
      {isConfirming && isPaired ? (
        <Confirmation title="Unpair the shop?" text={UNPAIR}>
          <UserForm action="/sandbox/unpair">
            <button className="button button-danger">Unpair the shop</button>
          </UserForm>
          <Link className="button" href="/sandbox">
            Cancel
          </Link>
        </Confirmation>
      ) : null}
    </section>
  )
}
