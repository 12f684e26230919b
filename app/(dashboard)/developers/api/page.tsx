import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import { CopyField } from '@/components/ui/copy-field'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import type { EndpointReference } from '@/lib/sandbox/api-reference/endpoints'
import type { Example } from '@/lib/sandbox/api-reference/examples'
import type { Field } from '@/lib/sandbox/api-reference/fields'
import { endpointOfCommand, reference, sendPage } from './reference'

export const generateMetadata = toolsTitle('API reference')

/** The OpenAPI document for people: each endpoint with its fields, errors and examples. */
export default async function ApiReferencePage() {
  await requireSandboxTools()
  const { settings } = application()
  const endpoints = reference()
  return (
    <div className="py-8">
      <h1>API reference</h1>
      <p className="mt-3 max-w-2xl text-muted">
        The API of {settings.vaspName} at{' '}
        <code className="break-all">{`${settings.publicOrigin}${settings.apiBasePath}`}</code>. Each call needs a token
        in the header <code>Authorization</code>. The <Link href="/developers/token">token inspector</Link> creates one
        for you, and the examples read it from the environment variable <code>TOKEN</code>. Names in capitals stand for
        your own values. “Send” makes a call for you, without a token.
      </p>
      <p className="mt-2 max-w-2xl text-muted">
        For programs: <a href={`${settings.publicOrigin}/openapi.json`}>OpenAPI document</a> and{' '}
        <a href={`${settings.publicOrigin}/.well-known/uma-configuration`}>discovery document</a>. To get each error in
        a browser: <Link href="/developers/errors">error recipes</Link>.
      </p>
      <nav aria-label="Endpoints" className="mt-6">
        <ul className="grid gap-x-12 md:grid-cols-2">
          {endpoints.map(({ id, method, path, summary }) => (
            <li key={id} className="line py-2">
              <a className="row-link" href={`#${id}`}>
                <code className="break-all">{`${method} ${path}`}</code>
              </a>
              <span className="label block">{summary}</span>
            </li>
          ))}
        </ul>
      </nav>
      {endpoints.map((endpoint) => (
        <Endpoint key={endpoint.id} endpoint={endpoint} />
      ))}
    </div>
  )
}

function Endpoint({ endpoint }: { readonly endpoint: EndpointReference }) {
  const { id, method, path, summary, description, request, reply, errors, example } = endpoint
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="mt-12 scroll-mt-32">
      <h2 id={`${id}-title`}>
        <code className="text-lg break-all">{`${method} ${path}`}</code>
      </h2>
      <p className="mt-2 max-w-2xl">
        <code>{id}</code>: {summary}.
      </p>
      {description === undefined ? null : <p className="mt-1 max-w-2xl text-muted">{description}</p>}
      {endpointOfCommand(id) === undefined ? null : (
        <p className="mt-3">
          <Link className="button" href={sendPage(id)} aria-label={`Send ${id}`}>
            Send
          </Link>
        </p>
      )}
      <div className="mt-3">
        <Part title="Request" of={id}>
          {request.length === 0 ? <p>The call has no fields.</p> : <Fields fields={request} />}
        </Part>
        <Part title="Reply" of={id}>
          <Fields fields={reply} />
        </Part>
        <Part title="Errors" of={id}>
          <dl>
            {errors.map(({ status, description: why }) => (
              <div key={status} className="line grid grid-cols-[4rem_1fr] gap-x-4 py-1.5">
                <dt>{status}</dt>
                <dd>{why}</dd>
              </div>
            ))}
          </dl>
        </Part>
        <Part title="Example" of={id}>
          <Examples example={example} />
        </Part>
      </div>
    </section>
  )
}

interface PartProps {
  readonly title: string
  /** The endpoint, for those who hear the headings alone. */
  readonly of: string
  readonly children: React.ReactNode
}

function Part({ title, of, children }: PartProps) {
  return (
    <details className="line py-1">
      <summary className="tap">
        <h3 className="inline text-base">
          {title}
          <span className="sr-only"> of {of}</span>
        </h3>
      </summary>
      <div className="pb-4">{children}</div>
    </details>
  )
}

function Fields({ fields }: { readonly fields: readonly Field[] }) {
  return (
    <dl>
      {fields.map(({ name, place, type, isRequired, description }) => (
        <div key={`${place} ${name}`} className="line grid grid-cols-[18rem_1fr] gap-x-4 py-1.5 max-sm:grid-cols-1">
          <dt>
            <code className="break-all">{name}</code>
          </dt>
          <dd className="min-w-0 break-words">
            <span className="label">
              {type}
              {place === 'body' ? '' : `, in the ${place}`}
              {isRequired ? '' : ', optional'}
            </span>
            {description === undefined ? null : <span className="block">{description}</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Examples({ example: { curl, fetch, python } }: { readonly example: Example }) {
  return (
    <div className="grid gap-y-5 break-words">
      <CopyField label="curl" text={curl} isLong />
      <CopyField label="fetch" text={fetch} isLong />
      <CopyField label="Python" text={python} isLong />
    </div>
  )
}
