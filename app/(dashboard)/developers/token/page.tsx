import { headers } from 'next/headers'
import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import { Alert } from '@/components/ui/alert'
import { Select, TextArea } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { protocol } from '@/lib/backend/protocol'
import { inspectToken } from '@/lib/sandbox/tokens/inspect-token'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { SHOWN_ONCE_HEADER } from '@/lib/web/shown-once'
import { Result } from './result'
import { ShownOnce } from './shown-once'
import { readShownToken, TOKEN_ERRORS } from './shown-token'

export const generateMetadata = toolsTitle('Token inspector')

interface Props {
  readonly searchParams: SearchParams
}

export default async function TokenPage({ searchParams }: Props) {
  const user = await requireSandboxTools()
  const current = application()
  const errors = readFormError(TOKEN_ERRORS, singleParam((await searchParams).error))
  const shown = await readShownToken(current, user.username, (await headers()).get(SHOWN_ONCE_HEADER))
  return (
    <div className="py-8">
      <h1>Token inspector</h1>
      <p className="mt-3 max-w-2xl text-muted">
        Paste a login token or a connection token. The page runs the checks of this server on it, in order, and shows
        what each endpoint would answer. This server neither stores nor logs the token.
      </p>
      {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}
      <ShownOnce>
        {shown === undefined ? null : (
          <Result
            shown={shown}
            verdict={await inspectToken(current, user.username, shown.token, protocol().commands)}
            now={current.clock.now()}
          />
        )}
      </ShownOnce>
      <div className="mt-10 grid gap-x-16 gap-y-10 lg:grid-cols-2">
        <section aria-labelledby="inspect">
          <h2 id="inspect">Inspect a token</h2>
          <UserForm action="/sandbox/forms/token/inspect" className="mt-4 grid gap-5">
            <TextArea label="Token" name="token" rows={5} error={errors.token} required />
            <p>
              <button className="button button-main">Inspect token</button>
            </p>
          </UserForm>
        </section>
        <section aria-labelledby="create">
          <h2 id="create">Create a token</h2>
          <UserForm action="/sandbox/forms/token/create" className="mt-4 grid gap-5">
            <Select
              label="Kind"
              name="kind"
              chosen="working"
              error={errors.kind}
              options={[
                ['working', 'Working, for 24 hours'],
                ['expired', 'Expired'],
                ['revoked', 'Revoked'],
                ['wrong-audience', 'Wrong audience'],
                ['wrong-key', 'Wrong key'],
                ['wrong-algorithm', 'Wrong algorithm'],
              ]}
            />
            <Select
              label="Commands"
              name="permissions"
              chosen="read"
              options={[
                ['read', 'Read only'],
                ['all', 'All, including payments'],
              ]}
            />
            <p className="label">
              The token is yours, {user.displayName}. A working token creates a connection named “made in the
              inspector”: you can revoke it under <Link href="/connections">Connections</Link>. Every endpoint refuses
              the other kinds. You can create 20 tokens a minute.
            </p>
            <p>
              <button className="button button-sandbox">Create token</button>
            </p>
          </UserForm>
        </section>
      </div>
    </div>
  )
}
