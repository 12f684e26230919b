import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import { LivePage } from '@/components/live-page'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import { application } from '@/lib/backend/application'
import { CONTACT_KINDS, countCallsByCode, eventReaderOf, type CallCount } from '@/lib/events/queries'
import { Errors } from './errors-by-code'

export const generateMetadata = toolsTitle('Developers')

const DOORS = [
  ['/developers/start', 'App guide', 'Connect an app to a wallet in seven steps, and test it with users of its own.'],
  [
    '/developers/wire',
    'The Wire',
    'Every call, message and payment, with the checks it passed and the rule behind each.',
  ],
  [
    '/developers/gateway',
    'Gateway kit and doctor',
    'All settings of your gateway, filled in, and a check of each step of its first contact.',
  ],
  ['/developers/token', 'Token inspector', 'Read a token check by check, or create a working or a faulty one.'],
  ['/developers/errors', 'Error recipes and faults', 'How to get each of the ten errors in a browser, without code.'],
  [
    '/developers/api',
    'API reference',
    'Each call with its fields, its errors, examples in curl, fetch and Python, and a form that sends it.',
  ],
  ['/show', 'Show', 'UMA Auth for an audience in eight steps, and one press for the next audience.'],
] as const

/** Where a developer starts: what went wrong lately, whether a gateway called, and the tools. */
export default async function DevelopersPage() {
  const user = await requireSandboxTools()
  const current = application()
  const calls = await countCallsByCode(current, eventReaderOf(current.settings, user.username))
  const now = current.clock.now()
  const contact = calls.find(({ code }) => code === null)
  return (
    <div className="py-8">
      <LivePage kinds={CONTACT_KINDS} />
      <h1>Developers</h1>
      <Contact contact={contact} now={now} />
      <Errors calls={calls} now={now} />
      <section aria-labelledby="tools" className="mt-10">
        <h2 id="tools">Tools</h2>
        <ul className="mt-3 grid gap-x-12 md:grid-cols-2">
          {DOORS.map(([href, name, words]) => (
            <li key={href} className="line py-3">
              <Link className="row-link font-serif text-lg" href={href}>
                {name}
              </Link>
              <p className="text-muted">{words}</p>
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

function Contact({ contact, now }: { readonly contact: CallCount | undefined; readonly now: Date }) {
  return (
    <p className="mt-4" data-live={`contact ${contact?.lastId}`}>
      {contact === undefined ? (
        <>
          <span className="text-muted">○ No gateway or app has called in the last 24 hours.</span>{' '}
          <Link href="/developers/gateway">Set up a gateway</Link>
        </>
      ) : (
        <>
          <span className="text-green">● Gateway seen.</span> The last successful call was{' '}
          <Link href={`/developers/wire/${contact.lastId}`}>
            <Moment at={contact.lastAt} now={now} />
          </Link>
          . Calls in the last hour: {contact.lastHour.toString()}.
        </>
      )}
    </p>
  )
}
