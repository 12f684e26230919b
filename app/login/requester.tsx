import type { PendingLogin } from 'uma-auth-vasp'
import { DescriptionItem } from '@/components/ui/description-item'

/** The gateway and the app that sent the user here, and the destination of the token. */
export function Requester({
  login,
  vaspName,
}: {
  readonly login: PendingLogin | undefined
  readonly vaspName: string
}) {
  return (
    <aside
      aria-labelledby="requester"
      className={`lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:pt-3 ${login === undefined ? 'max-lg:order-last' : ''}`}
    >
      <h2 id="requester">Who is asking</h2>
      {login === undefined ? (
        <p className="mt-3 text-muted">No app or gateway sent you. Signing in here shares nothing.</p>
      ) : (
        <>
          <dl className="mt-3">
            <DescriptionItem className="line py-2" term="Gateway">
              <code className="block">{login.gatewayOrigin}</code>
              <span className="text-green">✓ known to {vaspName}</span>
            </DescriptionItem>
            <DescriptionItem className="line py-2" term="Returns to">
              <code>{login.returnPath}</code>
            </DescriptionItem>
            {login.appHost === undefined ? null : (
              <DescriptionItem className="line py-2" term="App">
                {login.appHost}
              </DescriptionItem>
            )}
            {login.clientId === undefined ? null : (
              <DescriptionItem className="line py-2" term="App key">
                <code>{login.clientId}</code>
              </DescriptionItem>
            )}
            {login.asksFor === undefined ? null : (
              <DescriptionItem className="line py-2" term="User requested">
                ${login.asksFor}
              </DescriptionItem>
            )}
          </dl>
          <p className="label mt-3">
            After you sign in, you return to the gateway with a token that lasts 10 minutes. There you choose what the
            app may do. You can revoke it here at any time.
          </p>
        </>
      )}
    </aside>
  )
}
