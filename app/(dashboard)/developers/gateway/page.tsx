import { Suspense } from 'react'
import { COMMANDS } from 'uma-auth-vasp'
import { requireSandboxTools, toolsTitle } from '@/app/sandbox/tool-page'
import { LivePage } from '@/components/live-page'
import { Alert } from '@/components/ui/alert'
import { CopyField } from '@/components/ui/copy-field'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import {
  composeConfig,
  envConfig,
  gatewaySettingsOf,
  portOf,
  pythonConfig,
  type GatewayConfig,
} from '@/lib/backend/gateway-config'
import { protocol } from '@/lib/backend/protocol'
import { PAYING_COMMANDS } from '@/lib/connections/queries'
import { CONTACT_KINDS, eventReaderOf, findUnusedLogin, lastOutcomes } from '@/lib/events/queries'
import { findTrial } from '@/lib/sandbox/gateway-kit/try-login'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { ContactList } from './contact-list'
import { Doctor } from './doctor'
import { TRY_ERRORS } from './try-errors'

export const generateMetadata = toolsTitle('Gateway kit')

const PAYMENT_CALLS = COMMANDS.filter(({ name }) => PAYING_COMMANDS.includes(name)).map(
  ({ method, path }) => `${method} ${path}`,
)

interface Props {
  readonly searchParams: SearchParams
}

export default async function GatewayKitPage({ searchParams }: Props) {
  const user = await requireSandboxTools()
  const current = application()
  const { settings } = current
  const reader = eventReaderOf(settings, user.username)
  const [contact, unused, trial] = await Promise.all([
    lastOutcomes(current, reader, PAYMENT_CALLS),
    findUnusedLogin(current.db, user.username),
    findTrial(current, user.username),
  ])
  const now = current.clock.now()
  const config = configOf(current.settings)
  const { checks, error } = await searchParams
  const waitsForChecks = checks === 'wait'
  const errors = readFormError(TRY_ERRORS, singleParam(error))
  const doctor = <Doctor ports={current} logins={{ settings, now, trial, unused }} />
  return (
    <div className="py-8">
      <LivePage kinds={CONTACT_KINDS} />
      <h1>Gateway kit</h1>
      <p className="mt-3 max-w-2xl text-muted">
        Everything that a UMA Auth gateway needs to work with {settings.vaspName}: the settings of the gateway, the
        public key of our tokens, and what this server has received from the gateway.
      </p>
      <div className="mt-10 grid gap-x-16 gap-y-10 lg:grid-cols-2">
        <ContactList contact={contact} now={now} hidesUnowned={!reader.withUnowned} />
        {/* As tall as the checks, which arrive after the page and would push it down. */}
        <section aria-labelledby="doctor" className="min-h-[60rem] lg:min-h-[54.5rem]">
          <h2 id="doctor">Doctor</h2>
          {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}
          {waitsForChecks ? doctor : <Suspense fallback={<Checking />}>{doctor}</Suspense>}
        </section>
      </div>
      <section aria-labelledby="settings" className="mt-12">
        <h2 id="settings">Settings</h2>
        <p className="mt-2 mb-4 max-w-2xl text-muted">
          These settings contain no secret of this server. The gateway needs two keys of its own: in a demo,{' '}
          <code>npm run gateway:config</code> generates them once and prints the complete Python file.
        </p>
        <Format title="Python file of the public gateway" file="gateway.py" text={pythonConfig(config)} open />
        <Format title="Environment variables" file="gateway.env" text={envConfig(config)} />
        <Format title="Docker Compose" file="compose.yaml" text={composeConfig(config)} />
        <div className="double-rule" />
      </section>
      <section aria-labelledby="key" className="mt-12">
        <h2 id="key">Public key</h2>
        <p className="mt-2 mb-4 max-w-2xl text-muted">
          The gateway verifies our login tokens with this key (ES256). It is the value of{' '}
          <code>UMA_VASP_JWT_PUBKEY</code> above.
        </p>
        {settings.jwtPublicKeyPem === undefined ? (
          <p className="text-red">× JWT_PUBLIC_KEY is not set.</p>
        ) : (
          <CopyField label="PEM" text={settings.jwtPublicKeyPem} />
        )}
      </section>
    </div>
  )
}

function configOf(settings: ReturnType<typeof application>['settings']): GatewayConfig {
  return {
    filled: gatewaySettingsOf(settings),
    commands: protocol().commands,
    port: portOf(settings.gatewayRootUrl),
    relay: settings.gatewayRelayUrl,
    // Pages never show a private key.
    keys: undefined,
  }
}

function Format({
  title,
  file,
  text,
  open = false,
}: {
  readonly title: string
  readonly file: string
  readonly text: string
  readonly open?: boolean
}) {
  return (
    <details className="line py-1" open={open}>
      <summary className="tap">
        <h3 className="inline">{title}</h3>
      </summary>
      <div className="pb-4">
        <CopyField label={file} text={text} isLong />
      </div>
    </details>
  )
}

/** Shown while the checks run; at most three seconds. */
function Checking() {
  return (
    <p className="line mt-4 py-2 text-muted">
      <span className="noscript:hidden">Checking…</span>
      <noscript>
        <Link href="/developers/gateway?checks=wait">Show the checks</Link>
      </noscript>
    </p>
  )
}
