import type { ReactNode } from 'react'
import type { PendingLogin } from 'uma-auth-vasp'

/** Who sent the person here and where a token would go, so that nobody signs in for a stranger. */
export function WhoAsks({ login, vaspName }: { readonly login: PendingLogin | undefined; readonly vaspName: string }) {
  return (
    <aside
      aria-labelledby="who-asks"
      className={`min-[860px]:col-start-2 min-[860px]:row-span-2 min-[860px]:row-start-1 min-[860px]:pt-3 ${login === undefined ? 'max-[859px]:order-last' : ''}`}
    >
      <h2 id="who-asks">Who sent you here</h2>
      {login === undefined ? (
        <p className="mt-3 text-muted">
          No one: you opened this page yourself, and nothing is shared with anyone when you sign in.
        </p>
      ) : (
        <>
          <dl className="mt-3">
            <Fact name="Gateway">
              <code className="block">{login.gatewayOrigin}</code>
              <span className="text-green">✓ known to {vaspName}</span>
            </Fact>
            <Fact name="Returns to">
              <code>{login.returnPath}</code>
            </Fact>
            {login.appHost === undefined ? null : <Fact name="For the app at">{login.appHost}</Fact>}
            {login.clientId === undefined ? null : (
              <Fact name="App's key">
                <code>{login.clientId}</code>
              </Fact>
            )}
            {login.asksFor === undefined ? null : <Fact name="Asks for">${login.asksFor}</Fact>}
          </dl>
          <p className="label mt-3">
            After you sign in you go back there with a token that lasts 10 minutes. What an app may do is asked there,
            and you can revoke it here.
          </p>
        </>
      )}
    </aside>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="line py-2">
      <dt className="label">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  )
}
